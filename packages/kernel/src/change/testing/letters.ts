import type { ActorType } from "../../record/operations/operation.ts";
import { findFeature } from "../feature/store.ts";
import { replaceLine, scratchPlan, type ScratchKernel } from "./scratch-kernel.ts";

let number = 0;

/** A fresh operation id each time. */
export function callAs(type: ActorType = "system", id = "test") {
  return { actor: { type, id } as const, operationId: `op${(number += 1)}` };
}

export const LETTERS = { feature_id: "letters" } as const;

/** The feature "letters" on a scratch kernel, in the phase that a test needs. */
export function lettersOn({ kernel: { features }, records, read }: ScratchKernel) {
  async function init(feature_id = "letters") {
    const spec_digest = await records.objects.put(Buffer.from("# Letters\n"));
    return features.init(callAs(), { feature_id, run_id: "run1", spec_source: "letters.md", spec_digest });
  }

  async function planned(changes: Record<string, unknown> = {}) {
    await init();
    await features.submitPlan(callAs(), { ...LETTERS, plan_json: scratchPlan("letters", changes) });
  }

  async function built() {
    await planned();
    await features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "one", "two") });
  }

  async function ready() {
    await built();
    for (const [mode, to] of [
      ["fast", "qa"],
      ["full", "ready_to_merge"],
    ] as const) {
      await features.runGates(callAs(), { ...LETTERS, mode });
      await features.changeStatus(callAs(), { ...LETTERS, to, reason: "passed" });
    }
    return features.candidate(callAs(), LETTERS);
  }

  return {
    init,
    planned,
    built,
    ready,
    row: () => findFeature(records.database.db, "letters"),
    file: (name: string) => read(`.worktrees/letters/${name}`),
  };
}
