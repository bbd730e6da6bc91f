import { describe, expect, test } from "vitest";
import { reviewQuestions, taskQuestions, type GateQuestion } from "./gates.ts";
import { openLedgerBench, RUN, type LedgerBench } from "./testing/ledger-bench.ts";

const task = { run_id: RUN, task_id: "task-01" };
const review = (scope: "design" | "code", round = 1) => ({ run_id: RUN, task_id: `dark-mode-${scope}-review`, round });
const passes = async ({ ledger }: LedgerBench, question: GateQuestion) => (await ledger.gate(question)).passed;

describe.each(["sqlite", "yaml"] as const)("gates on the %s ledger", (kind) => {
  test("[FOR-081] a task needs a baseline row of its own run", async () => {
    const made = await openLedgerBench(kind);
    const question = { gate: "baseline-exists", ...task } as const;
    await made.check({ name: "build", passed: true, phase: "after" });
    await made.check({ name: "build", passed: true, phase: "baseline", task: "task-02" });
    expect(await made.ledger.gate(question)).toMatchObject({ count: 0, needed: 1, comparison: ">=", passed: false });
    await made.check({ name: "build", passed: false, phase: "baseline" });
    expect(await made.ledger.gate(question)).toMatchObject({ count: 1, passed: true });
  });

  test.each([
    ["Standard", 2],
    ["Large", 3],
  ] as const)("[FOR-082] a %s task needs %i passing checks of the current round", async (size, needed) => {
    const made = await openLedgerBench(kind);
    const question = { gate: "verification-sufficient", ...task, round: 2, size } as const;
    for (const name of ["a", "b", "c"]) await made.check({ name, passed: true, phase: "after", round: 1 });
    for (const name of ["a", "b", "c"]) await made.check({ name, passed: true, phase: "baseline", round: 2 });
    await made.check({ name: "d", passed: false, phase: "after", round: 2 });
    for (let count = 0; count < needed; count++) {
      expect(await made.ledger.gate(question)).toMatchObject({ count, needed, passed: false });
      await made.check({ name: `check-${count}`, passed: true, phase: "after", round: 2 });
    }
    expect(await made.ledger.gate(question)).toMatchObject({ count: needed, passed: true });
  });

  test("[FOR-066][FOR-083] markers are no signal and no failure", async () => {
    const made = await openLedgerBench(kind);
    for (const marker of ["tier3-infeasible", "baseline-discrepancy", "revert"] as const)
      await made.ledger.recordMarker(made.call(), { ...task, round: 1, marker, explanation: "so it is" });
    expect(await made.ledger.counts({ ...task, round: 1 })).toEqual({ total_checks: 0, passed: 0, failed: 0 });
    const [sufficient, clean] = await made.ledger.gates(taskQuestions({ ...task, round: 1, size: "Standard" }));
    expect([sufficient?.count, clean?.count]).toEqual([0, 0]);
    expect([sufficient?.passed, clean?.passed]).toEqual([false, true]);
  });

  test("[FOR-083] a marker of another task's revert is a failed check", async () => {
    const made = await openLedgerBench(kind);
    await made.check({ name: "revert-task-02", passed: false, phase: "after" });
    expect(await passes(made, { gate: "no-failed-check", ...task, round: 1 })).toBe(false);
  });

  test("[FOR-083][FOR-092] a failure of the round blocks the task, unless the check had failed on the base and never passed there", async () => {
    const made = await openLedgerBench(kind);
    const round = { ...task, round: 1 };
    const clean = { gate: "no-failed-check", ...round } as const;
    await made.check({ name: "lint", passed: false, phase: "baseline" });
    await made.check({ name: "lint", passed: false, phase: "after", output: "2 warnings" });
    expect(await passes(made, clean)).toBe(true);
    expect(await made.ledger.knownFailures(round)).toEqual([
      { task_id: "task-01", check_name: "lint", round: 1, output_snippet: "2 warnings" },
    ]);
    expect(await made.ledger.regressions(round)).toEqual([]);

    await made.check({ name: "tests", passed: false, phase: "after", round: 2 });
    expect(await passes(made, clean)).toBe(true);
    await made.check({ name: "types", passed: false, phase: "after" });
    expect(await made.ledger.gate(clean)).toMatchObject({ count: 1, needed: 0, comparison: "=", passed: false });
    expect(await made.ledger.regressions(round)).toEqual([]);

    await made.check({ name: "tests", passed: true, phase: "baseline" });
    await made.check({ name: "tests", passed: false, phase: "after", output: "1 failed" });
    expect(await made.ledger.gate(clean)).toMatchObject({ count: 2 });
    expect(await made.ledger.regressions(round)).toEqual([
      { task_id: "task-01", check_name: "tests", round: 1, output_snippet: "1 failed" },
    ]);
    await made.check({ name: "lint", passed: true, phase: "baseline" });
    expect(await made.ledger.gate(clean)).toMatchObject({ count: 3 });
    expect((await made.ledger.regressions(round)).map(({ check_name }) => check_name)).toEqual(["lint", "tests"]);
    expect(await made.ledger.knownFailures(round)).toEqual([]);
  });

  test("[FOR-080] the numbers of an evidence gate count the after checks of one task and round", async () => {
    const made = await openLedgerBench(kind);
    for (const [name, passed] of [
      ["a", true],
      ["b", true],
      ["c", false],
    ] as const)
      await made.check({ name, passed, phase: "after" });
    await made.check({ name: "a", passed: true, phase: "baseline" });
    await made.check({ name: "a", passed: true, phase: "after", round: 2 });
    await made.check({ name: "a", passed: true, phase: "after", task: "task-02" });
    expect(await made.ledger.counts({ ...task, round: 1 })).toEqual({ total_checks: 3, passed: 2, failed: 1 });
  });

  test.each([
    ["design", "code"],
    ["code", "design"],
  ] as const)(
    "[FOR-084][FOR-085][FOR-086][FOR-087][FOR-088] a %s review needs 3 verdicts, 2 approvals and no blocker of its round",
    async (scope, other) => {
      const made = await openLedgerBench(kind);
      const results = async (round = 1) =>
        (await made.ledger.gates(reviewQuestions(scope, review(scope, round)))).map(({ gate, count, passed }) => [gate, count, passed]);
      const gates = ["review-completion", `${scope}-review-no-blocker`, `${scope}-review-approved`];
      for (const reviewer of ["security", "architecture", "correctness"])
        await made.verdict({ reviewer, verdict: "blocker", scope: other });
      await made.verdict({ reviewer: "security", verdict: "approve", scope });
      await made.verdict({ reviewer: "architecture", verdict: "approve", scope });
      expect(await results()).toEqual([
        [gates[0], 2, false],
        [gates[1], 0, true],
        [gates[2], 2, true],
      ]);
      await made.verdict({ reviewer: "correctness", verdict: "blocker", scope });
      expect(await results()).toEqual([
        [gates[0], 3, true],
        [gates[1], 1, false],
        [gates[2], 2, true],
      ]);
      await made.verdict({ reviewer: "security", verdict: "approve", scope, round: 2 });
      for (const reviewer of ["architecture", "correctness"]) await made.verdict({ reviewer, verdict: "needs_revision", scope, round: 2 });
      expect(await results(2)).toEqual([
        [gates[0], 3, true],
        [gates[1], 0, true],
        [gates[2], 1, false],
      ]);
    },
  );
});

test("[FOR-089] a gate shows the query it executed, with the values filled in, and the query gives the same count", async () => {
  const made = await openLedgerBench();
  await made.check({ name: "build", passed: true, phase: "after" });
  const { sql, count } = await made.ledger.gate({ gate: "verification-sufficient", ...task, round: 1, size: "Standard" });
  expect(sql).toBe(
    "SELECT COUNT(*) AS count FROM anvil_checks WHERE run_id = '2026-02-26T14:30:00Z' AND task_id = 'task-01' AND phase = 'after' AND passed = 1 AND round = 1",
  );
  expect(await made.bench.sqlite.reading((database) => database.prepare(sql).get())).toEqual({ count });
});

test("[FOR-089] the values of a gate are parameters: a quote in one changes no query", async () => {
  const made = await openLedgerBench();
  await made.check({ name: "build", passed: true, phase: "baseline" });
  const { sql, count } = await made.ledger.gate({ gate: "baseline-exists", run_id: RUN, task_id: "x' OR '1'='1" });
  expect(count).toBe(0);
  expect(await made.bench.sqlite.reading((database) => database.prepare(sql).get())).toEqual({ count: 0 });
});
