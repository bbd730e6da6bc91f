import type { PackChanges } from "@slipway/agents/packs/changes";
import { undeclaredChanges } from "../../firewall/declared-changes.ts";
import type { Answer } from "../schemas/answers.ts";
import type { RoleAnswer } from "./assignment.ts";
import type { Dispatch } from "./dispatches.ts";

/** Verifier and reviewers read an implementer's list of changes, so it has to name exactly the files that differ. */
export function wrongChanges(dispatch: Dispatch, { completion, payload }: RoleAnswer, changes: Pick<PackChanges, "changed">): string[] {
  // In revert mode the harness restores the files. What comes with an ERROR is not applied.
  if (dispatch.role !== "implementer" || dispatch.mode === "revert" || completion.status === "ERROR") return [];
  const { undeclared, missing } = undeclaredChanges(namedIn(payload), changes);
  return [
    ...undeclared.map((path) => `payload/changes: ${path} was changed and is not named`),
    ...missing.map((path) => `payload/changes: ${path} is named and was not changed`),
  ];
}

/** Seen before the files are: nothing outside the task is ever changed. */
export function foreignChanges(payload: RoleAnswer["payload"], files: readonly string[]): string[] {
  const foreign = namedIn(payload).filter((path) => !files.includes(path));
  return foreign.map((path) => `changes: ${path} is not a file of this task, so it is not changed`);
}

function namedIn(payload: RoleAnswer["payload"]): string[] {
  return (payload as Answer<"implementer">["payload"])?.changes.map(({ path }) => path) ?? [];
}
