import type { CodeIndex, IndexCall } from "../code-index/code-index.ts";
import { moduleRef, refOf, type CodeIndexEntry } from "../code-index/entry.ts";
import { parseInput } from "@slipway/kernel/record/operations/operation";
import { z } from "zod";

const nonEmpty = z.string().trim().min(1);

export const deprecationInput = z.strictObject({
  module_ref: moduleRef,
  reason: nonEmpty,
  /** What dependents should do. */
  migration_note: nonEmpty,
  replacement: moduleRef.nullable().default(null),
});
export type DeprecationInput = z.input<typeof deprecationInput>;

export interface Deprecation {
  readonly entry: CodeIndexEntry;
  /** Every module whose dependencies allow this version. They are not notified: the deprecation shows in searches and fails a release. */
  readonly dependents: readonly string[];
}

/** Deprecates a version for good; its entry, contract, examples and evidence stay. */
export async function deprecate(
  index: Pick<CodeIndex, "dependentsOf" | "retire" | "find">,
  call: IndexCall,
  given: DeprecationInput,
  at: string,
): Promise<Deprecation> {
  const input = parseInput({ name: "deprecate", input: deprecationInput }, given);
  const { module_ref, replacement } = input;
  const dependents = (await index.dependentsOf(module_ref)).map(refOf);
  await index.retire(call, { module_ref, status: "DEPRECATED", superseded_by: replacement, note: deprecationNote(input, at) });
  return { entry: (await index.find(module_ref)) as CodeIndexEntry, dependents };
}

export function deprecationNote({ reason, migration_note }: Pick<DeprecationInput, "reason" | "migration_note">, at: string): string {
  return `Deprecated at ${at}: ${reason}\nMigration: ${migration_note}`;
}

/** For the Challenger: the deprecated dependencies of a proposal, each with a question about it. */
export function deprecatedDependencies(entries: readonly CodeIndexEntry[]): string[] {
  return entries
    .filter(({ status }) => status !== "SHIPPED")
    .map((entry) => {
      const instead = entry.superseded_by === null ? "There is no replacement yet." : `Would ${entry.superseded_by} fit better?`;
      return `${refOf(entry)} is ${entry.status}. ${instead} A release with this dependency fails its deprecation_check. Notes: ${entry.notes}`;
    });
}
