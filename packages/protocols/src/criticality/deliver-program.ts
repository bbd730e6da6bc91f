import { workflow } from "@slipway/durable/ctx";
import type { ExpectedTests } from "@slipway/kernel/change/judge/expected-tests/expect-tests";
import type { SourceTree } from "@slipway/languages/adapter";
import { areasOf } from "../change/agent-change.ts";
import type { ChangeRun } from "../change/change-run.ts";
import { deliver, oneChange, type Delivered } from "../change/deliver.ts";
import { readyFiles } from "../change/ready-files.ts";
import type { ChangeServices } from "../change/services.ts";

/** What a run delivers, as JSON in the object store. */
export interface ProgramDigests {
  readonly files_digest: string;
  /** The tests among the files; null if there are none. */
  readonly tests_digest: string | null;
}

export interface ProgramInput extends ProgramDigests {
  readonly id: string;
  readonly spec_text: string;
  readonly acceptance_criteria: readonly string[];
}

/** Source, tests, specification and claims, gated, approved and merged like any change. */
export const deliverProgram = workflow<ProgramInput, Delivered, ChangeServices>("criticality-program", "2", (ctx, program, services) =>
  deliverFiles(oneChange(ctx, services, program.id), program),
);

export async function deliverFiles(change: ChangeRun, program: ProgramInput): Promise<Delivered> {
  const { id, files_digest, tests_digest, spec_text, acceptance_criteria } = program;
  const { kernel } = change.services;
  const { objects } = kernel.records;
  const read = async (digest: string) => JSON.parse(Buffer.from(await objects.get(digest)).toString("utf8")) as unknown;
  const files = async () => (await read(files_digest)) as SourceTree;
  const tests = tests_digest === null ? {} : { tests: (await read(tests_digest)) as ExpectedTests };
  return deliver(change, {
    ...readyFiles(kernel, {
      id,
      appliedBy: "criticality",
      summary: `${id}: a program whose every function was written from its contract alone`,
      acceptance_criteria: [...acceptance_criteria],
      areas: areasOf(Object.keys(await files())),
      files,
      ...tests,
    }),
    spec: { source: "spec/spec.toml", text: spec_text },
    whenSentBack: "The program stays as it is. Its specification decides what it does; a new run builds another one.",
    retryLabel: "put it on the base as it is now and ask again",
    giveUpLabel: "end it; the work stays reachable",
  });
}
