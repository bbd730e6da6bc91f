import { NOT_PROVEN } from "@slipway/kernel/change/judge/canary/waiver";
import type { GateSummary } from "@slipway/kernel/change/judge/gate";
import { askAboutVerdict } from "./ask-about-verdict.ts";
import { mustPerform } from "./perform.ts";
import type { OperationResult, ChangeRun } from "./change-run.ts";
import { CHANGE_STEPS } from "./steps.ts";

/** A failed gate is returned as a result. If the gate cannot run, or its verdict proves nothing, a person is asked. */
export async function gate(change: ChangeRun, mode: string, attempt: string): Promise<OperationResult<GateSummary>> {
  const { features } = change.services.kernel;
  for (let round = 1; ; round++) {
    const name = round === 1 ? attempt : `${attempt}~again-${round}`;
    const summary = await mustPerform(change, CHANGE_STEPS.gates.named(mode, name), (call, signal) =>
      features.runGates(call, { feature_id: change.id, mode }, signal),
    );
    const { failure } = summary;
    if (failure === null) return { ok: true, value: summary };
    if (failure.code !== NOT_PROVEN) return { ok: false, failure };
    const decided = await askAboutVerdict(change, `${mode}:${name}`, failure);
    if (decided !== "again") return { ok: false, failure: decided };
  }
}

/** Limits the rounds that edits by hand between two modes can cause. */
const MAX_ROUNDS = 20;

/** Runs every mode that the policy requires on one tree and returns that tree. Skips a mode that already passed on it. */
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
    // If a person adopted edits between two modes, the earlier modes have to pass on the new tree, too.
    const [tree = "", ...others] = trees;
    if (others.length === 0 || round === MAX_ROUNDS) return { ok: true, value: tree };
  }
}
