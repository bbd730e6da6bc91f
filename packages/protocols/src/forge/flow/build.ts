import { applyAgentPatch } from "../../change/agent-change.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import { mustPerform } from "../../change/perform.ts";
import type { ForgeProgress } from "../progress.ts";
import { dispatchStep, type Result } from "../dispatch-step.ts";
import type { Dispatched } from "../dispatch/dispatch.ts";
import type { DispatchOf } from "../dispatch/dispatches.ts";
import { requiredPayload } from "../dispatch/run-documents.ts";
import { PLAN_FILE, SPEC_FILE } from "../files.ts";
import { subWaves } from "../rules/concurrency.ts";
import { secretsInDiff } from "../rules/secrets.ts";
import type { PlanPayload } from "../schemas/plan.ts";
import type { ForgeTask } from "../schemas/task.ts";
import { captureBaselines, type Baselines } from "./baseline.ts";
import { replan } from "./plan-work.ts";
import { giveUp, revertTasks } from "./revert.ts";
import { verify } from "./verify.ts";

type Implementer = DispatchOf<"implementer">;

/** The work on the tasks of a plan, as it goes on. */
export interface Build {
  plan: PlanPayload;
  /** How often each task has been verified. */
  readonly rounds: Map<string, number>;
  readonly baselines: Baselines;
  /** Whether the baseline tag of the run exists. */
  tagged: boolean;
  /** Tasks that were given up and restored. */
  readonly reverted: Set<string>;
}

/** Steps 5 and 6, wave by wave: a wave is implemented and verified before the next one starts. Null if a person gave up. */
export async function buildUntilVerified(progress: ForgeProgress, plan: PlanPayload): Promise<Build | null> {
  const build: Build = { plan, rounds: new Map(), baselines: new Map(), reverted: new Set(), tagged: false };
  for (let wave = 0; wave < build.plan.waves.length; wave++) {
    const ids = build.plan.waves[wave] ?? [];
    const done = await buildTasks(progress, build, { name: `w${wave + 1}`, ids, mode: "implement", findings: new Map(), wave });
    if (!done) return null;
  }
  return build;
}

export interface Lot {
  /** Unique in the run; part of the names of its steps. */
  readonly name: string;
  readonly ids: readonly string[];
  readonly mode: "implement" | "fix";
  readonly findings: ReadonlyMap<string, readonly string[]>;
  /** The wave, by index; null for repairs after the review. */
  readonly wave: number | null;
}

/** At most three iterations: replan after the first failure, revert and replan after the second, revert after the third. */
export async function buildTasks(progress: ForgeProgress, build: Build, lot: Lot): Promise<boolean> {
  const { run } = progress;
  const before = await run.ctx.step(
    `tree-before:${lot.name}`,
    async () => (await run.change.services.kernel.features.context(run.id)).tree,
  );
  let todo = lot.ids;
  let findings = lot.findings;
  for (let iteration = 1; ; iteration++) {
    const name = `${lot.name}-i${iteration}`;
    const tasks = todo.flatMap((id) => build.plan.tasks.find((task) => task.id === id) ?? []);
    const mode = iteration === 1 ? lot.mode : "implement";
    if (mode === "implement") await captureBaselines(progress, build, tasks);
    await implement(progress, build, name, tasks, mode, findings);
    const more_waves = lot.wave !== null && lot.wave + 1 < build.plan.waves.length;
    const { action, failed } = await verify(progress, build, { name, tasks, before, more_waves });
    if (action.type === "revert") await revertTasks(progress, name, failed);
    if (action.type === "revert" && action.next !== "replan") giveUp(progress, build, failed);
    if (action.type !== "replan" && !(action.type === "revert" && action.next === "replan")) return true;
    const again = await replan(
      progress,
      `replan-${name}`,
      failed.map(({ task, findings: found }) => ({ task_id: task.id, findings: found })),
    );
    if (again === null) return false;
    const known = new Set(build.plan.tasks.map(({ id }) => id));
    build.plan = again;
    const dropped = failed.filter(({ task }) => !again.tasks.some(({ id }) => id === task.id));
    if (action.type === "replan" && dropped.length > 0) await revertTasks(progress, `${name}-dropped`, dropped);
    giveUp(progress, build, dropped);
    const fresh = (lot.wave === null ? [] : (again.waves[lot.wave] ?? [])).filter((id) => !known.has(id));
    todo = [...failed.map(({ task }) => task.id).filter((id) => again.tasks.some((task) => task.id === id)), ...fresh];
    findings = new Map(failed.map(({ task, findings: found }) => [task.id, found]));
    if (todo.length === 0) return true;
  }
}

/** Step 5: at most four implementers at once, then their patches in the order of the tasks, then staging. */
async function implement(
  progress: ForgeProgress,
  build: Build,
  name: string,
  tasks: readonly ForgeTask[],
  mode: "implement" | "fix",
  findings: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const { run } = progress;
  const { features } = run.change.services.kernel;
  for (const [part, some] of subWaves(tasks).entries()) {
    const dispatches = some.map((task): Implementer => {
      const round = (build.rounds.get(task.id) ?? 0) + 1;
      return {
        role: "implementer",
        step: "5",
        instance: `${task.id}-${name}`,
        task_id: task.id,
        mode,
        round,
        findings: findings.get(task.id) ?? [],
      };
    });
    await dispatchStep<Implementer>(progress, {
      step: "5",
      dispatches,
      settle: (result) => applyResult(progress, result),
      input: async (agents, results) => {
        const attempt = Math.max(...results.map(({ attempts }) => attempts));
        const key = `${name}.${part + 1}.${attempt}`;
        const staged = await mustPerform(run.change, `stage:${key}`, (call) => features.stage(call, { feature_id: run.id }), {
          asksAlways: true,
        });
        const questions = some.map(({ id }) => ({ gate: "baseline-exists" as const, run_id: run.ref.run_id, task_id: id }));
        const gates = await run.ctx.step(`baselines:${key}`, () => run.ledger.gates(questions));
        return { input: "implementation", agents, baselines_recorded: gates.every(({ passed }) => passed), staged: staged.tree !== "" };
      },
      words: `${some.map(({ id }) => id).join(", ")} (${name})`,
    });
  }
}

/** A patch that does not apply, or that the kernel refuses, is a failed dispatch: its repetition sees the files as they are then. */
async function applyResult({ run }: ForgeProgress, { dispatch, dispatched, attempts }: Result<Implementer>): Promise<Dispatched> {
  if (!dispatched.ok || dispatched.diff === null) return dispatched.ok && dispatch.mode !== "revert" ? noChange(dispatch) : dispatched;
  const { objects } = run.change.services.kernel.records;
  const name = `${dispatch.instance}.${attempts}`;
  const diff = Buffer.from(await objects.get(dispatched.diff)).toString("utf8");
  const secrets = secretsInDiff(diff);
  if (secrets.length > 0)
    return { ok: false, status: null, reason: `the patch writes a key or token into ${secrets.join(", ")}`, deterministic: false };
  const text = await run.ctx.step(`words:${name}`, async () => {
    const [plan, spec] = await Promise.all([requiredPayload(run, "planner", PLAN_FILE), requiredPayload(run, "spec", SPEC_FILE)]);
    return { summary: plan.summary, acceptance_criteria: spec.acceptance_criteria.map(({ id, text: criterion }) => `${id}: ${criterion}`) };
  });
  const applied = await applyAgentPatch(run.change, { name, agent: `forge-implementer-${dispatch.task_id}`, diff, text });
  if (!applied.ok) return { ok: false, status: null, reason: `${applied.failure.code}: ${applied.failure.message}`, deterministic: false };
  if (applied.value === null) throw new GivenUp(run.id);
  return dispatched;
}

function noChange({ task_id }: Implementer): Dispatched {
  return { ok: false, status: null, reason: `${task_id}: the implementer changed none of the files of its task`, deterministic: false };
}
