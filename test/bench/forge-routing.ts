import { beginRun } from "@slipway/protocols/forge/ledger/testing/ledger-bench";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import { openBench } from "@slipway/kernel/record/operations/testing/door";
import { taskQuestions } from "@slipway/protocols/forge/ledger/gates";
import { FORGE_TABLES } from "@slipway/protocols/forge/ledger/tables";
import { route } from "@slipway/protocols/forge/router/route";
import { initialState } from "@slipway/protocols/forge/router/state";
import type { TaskVerification } from "@slipway/protocols/forge/rules/thresholds";
import { rmSync } from "node:fs";

const RUN = "2026-11-18T10:00:00Z";
const DECISIONS = 400;
const verifier = { role: "verifier", instance: "task-w1-i1", attempts: 1, status: "DONE", deterministic: false } as const;
const state = { ...initialState({ feature_slug: "parts", approval_mode: "autonomous", run_id: RUN }), current_step: "6" as const };

/** The median of the decision after the verification of one task, in a run with so many: the SQL of its gates, then the table. */
export async function measureRouting(tasks: number): Promise<number> {
  const bench = await openBench();
  await migrateOwner(bench.db, bench.sqlite.path, FORGE_TABLES);
  const { ledger, check } = await beginRun(bench, "sqlite", RUN);
  for (let task = 1; task <= tasks; task++) {
    for (const name of ["tests", "types"]) await check({ name, passed: true, phase: "after", task: `task-${task}` });
  }
  const times: number[] = [];
  for (let decision = 0; decision < DECISIONS; decision++) {
    const task_id = `task-${1 + (decision % tasks)}`;
    const started = performance.now();
    const gates = await ledger.gates(taskQuestions({ run_id: RUN, task_id, round: 1, size: "Standard" }));
    const [passed = 0, failed = 0] = gates.map(({ count }) => count);
    const judged: TaskVerification = { task_id, size: "Standard", verifier: "DONE", passed, failed };
    const decided = route(state, { input: "verification", agents: [verifier], tasks: [judged], more_waves: true });
    times.push(performance.now() - started);
    if (decided.action.type !== "next-wave") throw new Error(`the decision was ${JSON.stringify(decided)}`);
  }
  await bench.close();
  rmSync(bench.folder, { recursive: true, force: true });
  return times.toSorted((a, b) => a - b)[DECISIONS / 2] ?? Number.NaN;
}
