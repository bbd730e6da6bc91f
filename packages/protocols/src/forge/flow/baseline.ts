import { mustPerform } from "../../change/perform.ts";
import { runCascade } from "../cascade/run-cascade.ts";
import { callOf } from "../forge-run.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Task } from "../schemas/task.ts";
import { FORGE_STEPS } from "../steps.ts";
import { cascadeServices, toolingOf } from "./cascade-services.ts";

/** The tag of the run, once, and the baseline rows of each task, before any implementer may write. */
export async function captureBaselines(pipeline: Pipeline, tasks: readonly Task[]): Promise<void> {
  const { run } = pipeline;
  await tagOnce(pipeline);
  for (const task of tasks) {
    const captured = await run.ctx.step(`baseline-of:${task.id}`, async () => {
      const { checks } = await run.ledger.rows(run.ref.run_id);
      return checks.some((row) => row.task_id === task.id && row.phase === "baseline");
    });
    if (captured) continue;
    const step = FORGE_STEPS.baseline.named(task.id);
    await run.ctx.step(step, async (signal) => {
      const { rows, failed_tests } = await runCascade(
        cascadeServices(run),
        callOf(run, step),
        {
          run_id: run.ref.run_id,
          feature_id: run.id,
          task: { id: task.id, size: task.size, files: filesOf(task) },
          phase: "baseline",
          round: 1,
          tooling: await toolingOf(run),
        },
        { signal },
      );
      return { task_id: task.id, checks: rows.length, failed_tests };
    });
  }
}

export function filesOf({ relevant_context }: Task): string[] {
  return relevant_context.files_to_modify.map(({ path }) => path);
}

async function tagOnce({ run }: Pipeline): Promise<void> {
  const { features } = run.change.services.kernel;
  await mustPerform(run.change, "baseline-tag", (call) => features.tagBase(call, { feature_id: run.id, tag: run.ref.tag }), { asksAlways: true });
}
