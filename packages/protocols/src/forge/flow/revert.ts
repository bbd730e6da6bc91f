import { mustPerform } from "../../change/perform.ts";
import { forgeDispatch } from "../dispatch/dispatch.ts";
import type { DispatchOf } from "../dispatch/dispatches.ts";
import { callOf } from "../forge-run.ts";
import type { ForgeProgress } from "../progress.ts";
import { FORGE_STEPS } from "../steps.ts";
import { filesOf } from "./baseline.ts";
import type { Build } from "./build.ts";
import type { FailedTask } from "./verify.ts";

/** The implementer is dispatched in revert mode, and the harness restores the files of the task from the baseline tag. */
export async function revertTasks(progress: ForgeProgress, name: string, failed: readonly FailedTask[]): Promise<void> {
  const { run } = progress;
  const { features } = run.change.services.kernel;
  for (const { task, round, findings } of failed) {
    const files = filesOf(task);
    const restored = await mustPerform(
      run.change,
      FORGE_STEPS.revert.named(task.id, name),
      (call) => features.revertFiles(call, { feature_id: run.id, files, tag: run.ref.tag }),
      { asksAlways: true },
    );
    const step = `revert-row:${task.id}:${name}`;
    await run.ctx.step(step, () =>
      run.ledger.recordMarker(callOf(run, step), {
        run_id: run.ref.run_id,
        task_id: task.id,
        round,
        marker: "revert",
        explanation: `Restored from ${run.ref.tag}: ${[...restored.restored, ...restored.deleted].join(", ") || "nothing had changed"}.`,
        command: `git checkout ${run.ref.tag} -- ${files.join(" ")}`,
        exit_code: 0,
      }),
    );
    await dispatchRevert(progress, { task, round, findings }, name, files);
  }
  await mustPerform(run.change, `stage:revert:${name}`, (call) => features.stage(call, { feature_id: run.id }), { asksAlways: true });
}

/** Tasks that are not planned again: their findings stay open. */
export function giveUp(progress: ForgeProgress, build: Build, failed: readonly FailedTask[]): void {
  for (const { task, findings } of failed) {
    build.reverted.add(task.id);
    const [first = "the verification failed"] = findings;
    const text = `${task.id} (${task.title}) is given up and reverted: ${first.split("\n")[0] ?? ""}`;
    progress.addIssues([{ severity: "Major", text, from: "verification" }]);
  }
}

/** Its report documents what was given up. A failure of this dispatch changes nothing: the files are restored. */
async function dispatchRevert(
  { run }: ForgeProgress,
  { task, round, findings }: FailedTask,
  name: string,
  files: readonly string[],
): Promise<void> {
  const revert = { mode: "revert", files_to_revert: files, baseline_tag: run.ref.tag } as const;
  const dispatch: DispatchOf<"implementer"> = {
    role: "implementer",
    step: "5",
    instance: `${task.id}-revert-${name}`,
    task_id: task.id,
    mode: "revert",
    round,
    findings,
    revert,
  };
  await run.ctx.child(FORGE_STEPS.dispatch.named(dispatch.role, `${dispatch.instance}.1`), forgeDispatch, {
    ref: run.ref,
    dispatch,
    attempt: 1,
    withRolesModel: false,
  });
}
