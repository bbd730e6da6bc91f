import { SlipwayError } from "@slipway/agents/errors";
import type { StepName } from "@slipway/durable/step-name";
import { performAs } from "../change/firewall.ts";
import { gate } from "../change/gate.ts";
import type { AttemptResult, Start } from "../change/phase.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { OperationResult, ChangeRun } from "../change/change-run.ts";
import { moveTo, ensureUnblocked } from "../change/unblock.ts";
import { CHANGE_STEPS } from "../change/steps.ts";
import { askWorker } from "./worker.ts";

/** Asks the builder for a patch, checks it against the plan and runs the fast gates. The value is null if a person gave up. */
export async function buildOnce(change: ChangeRun, start: Start): Promise<AttemptResult<string | null>> {
  if (!(await ensureUnblocked(change, `build:${start.attempt}`, "building"))) return { ok: true, value: null };
  const answered = await askWorker(change, { role: "builder", ...start });
  if (!answered.ok) return answered;
  const patched = await applyPatch(change, "builder", CHANGE_STEPS.patch.named(start.attempt), answered.value.unified_diff);
  if (!patched.ok) return patched;
  const passed = await gate(change, "fast", start.attempt);
  if (!passed.ok) return withDiscarded(passed, answered.value.discarded);
  const entered = await moveTo(change, `qa-entry:${start.attempt}`, "qa", "the fast gates passed");
  return { ok: true, value: entered ? patched.value.tree : null };
}

/** A gate may have failed because of a file that is missing for this reason: without it the next attempt would repeat it. */
function withDiscarded<T>(failed: AttemptResult<T>, discarded: string | undefined): AttemptResult<T> {
  if (failed.ok || "reply" in failed || discarded === undefined) return failed;
  const { failure } = failed;
  return { ok: false, failure: { ...failure, message: `${failure.message} ${discarded}` } };
}

export interface Patched {
  readonly tree: string;
  readonly changed: readonly string[];
}

export function applyPatch(
  change: ChangeRun,
  role: WorkerRole,
  step: StepName<OperationResult<{ readonly tree: string }>>,
  unified_diff: string,
  batch?: string,
): Promise<OperationResult<Patched>> {
  return performAs<Patched>(change, {
    role,
    output: "PATCH",
    step,
    ...(batch === undefined ? {} : { batch }),
    async body(call) {
      const { tree, empty, changed } = await change.services.kernel.features.applyPatch(call, { feature_id: change.id, unified_diff });
      // The gates would pass on an unchanged tree as well.
      if (empty)
        throw new SlipwayError("patch_rejected", "With this patch the files are the same as on the base: the feature is not built yet.");
      return { tree, changed: changed.map(({ path }) => path) };
    },
  });
}
