import type { CodeIndex } from "../code-index/code-index.ts";
import type { Call } from "@slipway/kernel/record/operations/call";
import { idOf } from "../engineering/order.ts";

export interface Superseded {
  readonly module_ref: string;
  readonly superseded_by: string;
}

/** The versions that a task shipped before and that a new version replaces. Modules it no longer makes stay in use. */
export function supersededBy(before: readonly string[], now: readonly string[]): Superseded[] {
  return before.flatMap((module_ref) => {
    const superseded_by = now.find((ref) => idOf(ref) === idOf(module_ref) && ref !== module_ref);
    return superseded_by === undefined ? [] : [{ module_ref, superseded_by }];
  });
}

export async function retireSuperseded(index: Pick<CodeIndex, "find" | "retire">, call: Call, all: readonly Superseded[]): Promise<void> {
  for (const { module_ref, superseded_by } of all) {
    if ((await index.find(module_ref))?.status !== "SHIPPED") continue;
    const operationId = `${call.operationId}/${module_ref}`;
    const note = `Superseded by ${superseded_by}: the spec changed.`;
    await index.retire({ ...call, operationId }, { module_ref, status: "SUPERSEDED", superseded_by, note });
  }
}
