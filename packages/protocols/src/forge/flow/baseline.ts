import { mustPerform } from "../../change/perform.ts";
import { runCascade } from "../cascade/run-cascade.ts";
import { callOf } from "../forge-run.ts";
import type { ForgeProgress } from "../progress.ts";
import type { ForgeTask } from "../schemas/task.ts";
import { FORGE_STEPS } from "../steps.ts";
import type { Build } from "./build.ts";
import { cascadeServices, toolingOf } from "./cascade-services.ts";

/** How many tests failed before a task's first change, by task and check. */
export type Baselines = Map<string, Readonly<Record<string, number>>>;

/** The tag of the run, once, and the baseline rows of each task, before any implementer may write. */
export async function captureBaselines(
  progress: ForgeProgress,
  build: Pick<Build, "baselines" | "tagged">,
  tasks: readonly ForgeTask[],
): Promise<void> {
  const { run } = progress;
  if (!build.tagged) await tagBase(progress);
  build.tagged = true;
  const { baselines } = build;
  for (const task of tasks.filter(({ id }) => !baselines.has(id))) {
    const step = FORGE_STEPS.baseline.named(task.id);
    const { failed_tests } = await run.ctx.step(step, async (signal) => {
      const outcome = await runCascade(
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
      return { task_id: task.id, checks: outcome.rows.length, failed_tests: outcome.failed_tests };
    });
    baselines.set(task.id, failed_tests);
  }
}

export function filesOf({ relevant_context }: ForgeTask): string[] {
  return relevant_context.files_to_modify.map(({ path }) => path);
}

async function tagBase({ run }: ForgeProgress): Promise<void> {
  const { features } = run.change.services.kernel;
  await mustPerform(run.change, "baseline-tag", (call) => features.tagBase(call, { feature_id: run.id, tag: run.ref.tag }), {
    asksAlways: true,
  });
}
