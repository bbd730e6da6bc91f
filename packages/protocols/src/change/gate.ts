import type { GateSummary } from "@slipway/kernel/change/judge/gate";
import { mustPerform } from "./perform.ts";
import type { OperationResult, ChangeRun } from "./change-run.ts";
import { CHANGE_STEPS } from "./steps.ts";

/** A gate that fails is a result; a gate that cannot be run is a question. */
export async function gate(change: ChangeRun, mode: string, attempt: string): Promise<OperationResult<GateSummary>> {
  const { features } = change.services.kernel;
  const summary = await mustPerform(change, CHANGE_STEPS.gates.named(mode, attempt), (call, signal) =>
    features.runGates(call, { feature_id: change.id, mode }, signal),
  );
  return summary.failure === null ? { ok: true, value: summary } : { ok: false, failure: summary.failure };
}

/** How often a person may edit the worktree between two modes before they are asked to let it be. */
const MAX_ROUNDS = 20;

/** Every mode the policy requires, on one tree, which is told. One that has passed on this very tree is not run again. */
export async function gateAll(change: ChangeRun, attempt: string): Promise<OperationResult<string>> {
  const { required_modes, required_merge_mode } = change.services.kernel.configuration.policy;
  const modes = [...new Set([...required_modes, required_merge_mode])];
  for (let round = 1; ; round++) {
    const name = round === 1 ? attempt : `${attempt}~${round}`;
    const trees = new Set<string>();
    for (const mode of modes) {
      const { gates, tree } = await change.ctx.step(`passed:${mode}:${name}`, () => change.services.kernel.features.standing(change.id));
      const passed = gates[mode] === "pass" ? null : await gate(change, mode, name);
      if (passed?.ok === false) return passed;
      trees.add(passed?.value.tree ?? tree);
    }
    // What a person adopts between two modes has to pass the earlier ones, too.
    const [tree = "", ...others] = trees;
    if (others.length === 0 || round === MAX_ROUNDS) return { ok: true, value: tree };
  }
}
