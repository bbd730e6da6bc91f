import { runCascade } from "../cascade/run-cascade.ts";
import { dispatchStep, type Result, type StepEnd } from "../dispatch-step.ts";
import type { DispatchOf } from "../dispatch/dispatches.ts";
import { payloadOf } from "../dispatch/run-documents.ts";
import { implementationFile, verificationFile } from "../files.ts";
import { callOf } from "../forge-run.ts";
import { taskQuestions } from "../ledger/gates.ts";
import type { ForgeProgress } from "../progress.ts";
import { gateMismatches } from "../rules/claims.ts";
import { isVerified, type TaskVerification } from "../rules/thresholds.ts";
import type { ForgeTask } from "../schemas/task.ts";
import { FORGE_STEPS } from "../steps.ts";
import { filesOf } from "./baseline.ts";
import type { Build } from "./build.ts";
import { cascadeServices, toolingOf } from "./cascade-services.ts";

type Verifier = DispatchOf<"verifier">;

/** A task below its threshold, with what is to be repaired. */
export interface FailedTask {
  readonly task: ForgeTask;
  readonly round: number;
  readonly findings: readonly string[];
}

/** Tasks that were implemented side by side. */
export interface WaveWork {
  readonly name: string;
  readonly tasks: readonly ForgeTask[];
  /** The tree before the first of them changed a file. */
  readonly before: string;
  readonly more_waves: boolean;
}

export interface VerifiedWave {
  readonly action: StepEnd<Verifier>["action"];
  readonly failed: readonly FailedTask[];
}

/** Step 6: the harness runs the cascade of each task, then one verifier per task reads the rows, then the ledger decides. */
export async function verify(progress: ForgeProgress, build: Build, { name, tasks, before, more_waves }: WaveWork): Promise<VerifiedWave> {
  const { run } = progress;
  for (const task of tasks) build.rounds.set(task.id, roundOf(build, task) + 1);
  for (const task of tasks) await runChecks(progress, build, task, { before, others: tasks.filter((other) => other !== task) });
  const dispatches = tasks.map((task): Verifier => {
    return { role: "verifier", step: "6", instance: `${task.id}-${name}`, task_id: task.id, round: roundOf(build, task), size: task.size };
  });
  let judged: readonly TaskVerification[] = [];
  const { action } = await dispatchStep<Verifier>(progress, {
    step: "6",
    dispatches,
    input: async (agents, results) => {
      judged = await judge(progress, build, name, tasks, results);
      return { input: "verification", agents, tasks: judged, more_waves };
    },
    words: `verification of ${tasks.map(({ id }) => id).join(", ")} (${name})`,
  });
  const below = judged.filter((one) => !isVerified(one)).map(({ task_id }) => task_id);
  const failed: FailedTask[] = [];
  for (const task of tasks.filter(({ id }) => below.includes(id))) {
    const round = roundOf(build, task);
    failed.push({ task, round, findings: await run.ctx.step(`findings:${task.id}:${round}`, () => findingsOf(progress, task, round)) });
  }
  return { action, failed };
}

export function roundOf({ rounds }: Pick<Build, "rounds">, { id }: Pick<ForgeTask, "id">): number {
  return rounds.get(id) ?? 0;
}

/** Each task is judged without the others of its wave: a broken neighbour must not fail it. The gates judge the whole afterwards. */
async function runChecks(
  progress: ForgeProgress,
  build: Build,
  task: ForgeTask,
  { before, others }: { readonly before: string; readonly others: readonly ForgeTask[] },
): Promise<void> {
  const { run } = progress;
  const round = roundOf(build, task);
  const step = FORGE_STEPS.cascade.named(task.id, round);
  const { infeasible } = await run.ctx.step(step, async (signal) => {
    const report = await payloadOf(run, "implementer", implementationFile(task.id));
    const outcome = await runCascade(
      cascadeServices(run),
      callOf(run, step),
      {
        run_id: run.ref.run_id,
        feature_id: run.id,
        task: { id: task.id, size: task.size, files: filesOf(task) },
        phase: "after",
        round,
        tooling: await toolingOf(run),
        ...(others.length === 0 ? {} : { restored: { from: before, paths: others.flatMap(filesOf) } }),
        smoke: report?.smoke_script ?? null,
        baseline_failed_tests: build.baselines.get(task.id) ?? {},
      },
      { signal },
    );
    const after = outcome.rows.filter(({ phase }) => phase === "after");
    const passed = after.filter((row) => row.passed === 1).length;
    return { task_id: task.id, passed, failed: after.length - passed, infeasible: outcome.infeasible };
  });
  if (infeasible !== null) progress.lower("tier3-infeasible");
}

/** The counts of the ledger, and the verifier's own word beside them. */
async function judge(
  progress: ForgeProgress,
  build: Build,
  name: string,
  tasks: readonly ForgeTask[],
  results: readonly Result<Verifier>[],
): Promise<TaskVerification[]> {
  const { run } = progress;
  const attempt = Math.max(...results.map(({ attempts }) => attempts));
  const judged: TaskVerification[] = [];
  for (const task of tasks) {
    const round = roundOf(build, task);
    const step = FORGE_STEPS.gates.named(`${task.id}-${name}-${attempt}`);
    const questions = taskQuestions({ run_id: run.ref.run_id, task_id: task.id, round, size: task.size });
    const { gates } = await run.ctx.step(step, async () => ({
      of: `${task.id}, round ${round}`,
      gates: await run.ledger.gates(questions),
    }));
    const count = (gate: string) => gates.find((one) => one.gate === gate)?.count ?? 0;
    const result = results.find(({ dispatch }) => dispatch.task_id === task.id);
    const verifier = result?.dispatched.ok === true ? result.dispatched.status : "ERROR";
    if (result?.dispatched.ok === true && result.attempts === attempt) await compareReport(progress, task, round, `${name}-${attempt}`);
    judged.push({
      task_id: task.id,
      size: task.size,
      verifier,
      passed: count("verification-sufficient"),
      failed: count("no-failed-check"),
    });
  }
  return judged;
}

/** Where the report's numbers differ from the ledger, the ledger decides, and the difference is recorded. */
async function compareReport(progress: ForgeProgress, task: ForgeTask, round: number, name: string): Promise<void> {
  const { run } = progress;
  const of = { run_id: run.ref.run_id, task_id: task.id, round };
  const { mismatches, discrepancies } = await run.ctx.step(`report:${task.id}:${name}`, async () => {
    const payload = await payloadOf(run, "verifier", verificationFile(task.id));
    if (payload === null) return { mismatches: [], discrepancies: [] };
    const { evidence_gate, baseline_discrepancies } = payload.verification_report;
    const counts = await run.ledger.counts(of);
    const gates = await run.ledger.gates(taskQuestions({ ...of, size: task.size }));
    const gate_status = gates.every(({ passed }) => passed) ? ("passed" as const) : ("failed" as const);
    return { mismatches: gateMismatches(evidence_gate, { ...counts, gate_status }), discrepancies: baseline_discrepancies };
  });
  if (mismatches.length > 0)
    await run.ctx.step(
      FORGE_STEPS.note.named(`mismatch-${task.id}-${name}`),
      async () => `${task.id}: the verifier's numbers differ; the ledger decides: ${mismatches.join("; ")}`,
    );
  for (const [index, { check_name, detail }] of discrepancies.entries()) {
    const step = `discrepancy:${task.id}:${name}:${index + 1}`;
    const marker = { ...of, marker: "baseline-discrepancy", explanation: `${check_name}: ${detail}` } as const;
    await run.ctx.step(step, () => run.ledger.recordMarker(callOf(run, step), marker));
    progress.lower("baseline-discrepancy");
  }
}

const MOST_FINDINGS = 12;

/** For the planner and the implementer: what failed, with the end of its output, and the criteria that are not met. */
async function findingsOf({ run }: ForgeProgress, task: ForgeTask, round: number): Promise<string[]> {
  const { checks } = await run.ledger.rows(run.ref.run_id);
  const rows = checks.filter((row) => row.task_id === task.id && row.phase === "after" && row.round === round && row.passed === 0);
  const payload = await payloadOf(run, "verifier", verificationFile(task.id));
  const report = payload?.verification_report;
  const unmet = (report?.criteria ?? []).filter(({ met }) => !met).map(({ id, evidence }) => `${id} is not met: ${evidence}`);
  const failed = rows.map(
    ({ check_name, command, output_snippet }) =>
      `${check_name} failed (${command ?? "inspected by the harness"}):\n${output_snippet ?? ""}`,
  );
  const regressions = (report?.regressions ?? []).map(({ check_name, detail }) => `regression in ${check_name}: ${detail}`);
  const found = [...failed, ...unmet, ...regressions].slice(0, MOST_FINDINGS);
  return found.length === 0 ? ["Fewer checks passed than this task needs: name files that a build or a test reaches."] : found;
}
