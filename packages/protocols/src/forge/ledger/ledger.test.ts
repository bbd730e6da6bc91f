import { describe, expect, test } from "vitest";
import { FEATURE, openLedgerBench, RUN, type LedgerBench } from "./testing/ledger-bench.ts";
import { SNIPPET_LIMIT } from "./rows.ts";

const KINDS = ["sqlite", "yaml"] as const;

const rowsOf = async ({ ledger }: LedgerBench) => (await ledger.rows(RUN)).checks;

describe.each(KINDS)("the %s ledger", (kind) => {
  const one = (check_id: string, output = "out") => ({
    run_id: RUN,
    feature_id: FEATURE,
    task_ids: ["task-01"],
    phase: "after" as const,
    round: 1,
    checks: [{ check_id, tool: "npm", command: "npm test", output }],
  });

  test("[FOR-078] takes name, result and exit code of a check from the harness's own row", async () => {
    const made = await openLedgerBench(kind);
    const id = await made.observe("tests", false);
    await made.ledger.recordChecks(made.call(), one(id, "1 failed"));
    expect(await rowsOf(made)).toEqual([
      {
        id: 1,
        run_id: RUN,
        task_id: "task-01",
        phase: "after",
        check_name: "tests",
        tool: "npm",
        command: "npm test",
        exit_code: 1,
        output_snippet: "1 failed",
        passed: 0,
        verdict: null,
        severity: null,
        round: 1,
        ts: "1970-01-01 00:00:01",
      },
    ]);
  });

  test("[FOR-078] refuses a check that the harness has not made, or made for another feature, and keeps nothing of the call", async () => {
    const made = await openLedgerBench(kind);
    const known = await made.observe("tests", true);
    const foreign = await made.observe("tests", true, "other-feature");
    for (const wrong of ["check-of-nobody", foreign]) {
      const input = { ...one(known), checks: [...one(known).checks, ...one(wrong).checks] };
      await expect(made.ledger.recordChecks(made.call(), input)).rejects.toMatchObject({
        code: "policy_violation",
        message: expect.stringContaining("checks[1].check_id"),
      });
    }
    expect(await rowsOf(made)).toEqual([]);
  });

  test.each(["planner", "builder", "qa", "person"] as const)("[FOR-078] refuses every write of a %s", async (type) => {
    const made = await openLedgerBench(kind);
    const id = await made.observe("tests", true);
    const call = { actor: { type, id: "x" }, operationId: "op" };
    const forbidden = { code: "forbidden_tool_for_role" };
    await expect(made.ledger.recordChecks(call, one(id))).rejects.toMatchObject(forbidden);
    const marker = { run_id: RUN, task_id: "task-01", round: 1, marker: "revert", explanation: "x" } as const;
    await expect(made.ledger.recordMarker(call, marker)).rejects.toMatchObject(forbidden);
    expect(await rowsOf(made)).toEqual([]);
  });

  test("an observation is evidence for several tasks, and once for each of them", async () => {
    const made = await openLedgerBench(kind);
    const id = await made.observe("build", true);
    const input = { ...one(id), task_ids: ["task-01", "task-02"] };
    const first = await made.ledger.recordChecks(made.call(), input);
    expect(await made.ledger.recordChecks(made.call(), input)).toEqual(first);
    expect((await rowsOf(made)).map(({ task_id }) => task_id)).toEqual(["task-01", "task-02"]);
  });

  test("a repeated operation adds nothing", async () => {
    const made = await openLedgerBench(kind);
    const marker = { run_id: RUN, task_id: "task-01", round: 1, marker: "baseline-discrepancy", explanation: "a.js differs" } as const;
    await made.ledger.recordMarker(made.call("same"), marker);
    await made.ledger.recordMarker(made.call("same"), marker);
    expect(await rowsOf(made)).toHaveLength(1);
  });

  test("[FOR-072] an output is cut to its first 500 characters, never within one", async () => {
    const made = await openLedgerBench(kind);
    for (const output of [`${"a".repeat(499)}😀😀`, "😀".repeat(600), "\uD83D"])
      await made.ledger.recordChecks(made.call(), one(await made.observe("tests", true), output));
    expect((await rowsOf(made)).map(({ output_snippet }) => output_snippet)).toEqual([
      `${"a".repeat(499)}😀`,
      "😀".repeat(SNIPPET_LIMIT),
      "\uFFFD",
    ]);
  });

  test("[FOR-066][FOR-093][FOR-096] markers are failed after rows of the task, a revert under the task's name", async () => {
    const made = await openLedgerBench(kind);
    for (const marker of ["tier3-infeasible", "baseline-discrepancy", "revert"] as const)
      await made.ledger.recordMarker(made.call(), { run_id: RUN, task_id: "task-03", round: 2, marker, explanation: `why ${marker}` });
    const shown = (await rowsOf(made)).map(({ check_name, phase, passed, round, output_snippet }) => ({
      check_name,
      phase,
      passed,
      round,
      output_snippet,
    }));
    const common = { phase: "after", passed: 0, round: 2 };
    expect(shown).toEqual([
      { check_name: "tier3-infeasible", ...common, output_snippet: "why tier3-infeasible" },
      { check_name: "baseline-discrepancy", ...common, output_snippet: "why baseline-discrepancy" },
      { check_name: "revert-task-03", ...common, output_snippet: "why revert" },
    ]);
  });

  test("[FOR-075][FOR-076][FOR-077] a verdict is one review row of the scope's task, with its highest severity", async () => {
    const made = await openLedgerBench(kind);
    await made.verdict({ reviewer: "security", verdict: "approve" });
    await made.verdict({ reviewer: "correctness", verdict: "needs_revision", scope: "code", findings: { minor: 3, critical: 1 } });
    await made.verdict({ reviewer: "architecture", verdict: "approve", findings: { minor: 1 } });
    const common = { phase: "review", command: "adversarial-review", exit_code: null, output_snippet: "Read it.", round: 1 };
    expect(await rowsOf(made)).toMatchObject([
      {
        ...common,
        task_id: "dark-mode-design-review",
        check_name: "review-design-security",
        passed: 1,
        verdict: "approve",
        severity: null,
      },
      {
        ...common,
        task_id: "dark-mode-code-review",
        check_name: "review-code-correctness",
        passed: 0,
        verdict: "needs_revision",
        severity: "Critical",
      },
      { ...common, check_name: "review-design-architecture", passed: 1, severity: "Minor" },
    ]);
  });

  test("[FOR-077] a reviewer's second verdict in a round is refused; the same one again changes nothing", async () => {
    const made = await openLedgerBench(kind);
    await made.verdict({ reviewer: "security", verdict: "needs_revision", findings: { major: 1 } });
    await made.verdict({ reviewer: "security", verdict: "needs_revision", findings: { major: 1 } });
    await expect(made.verdict({ reviewer: "security", verdict: "approve" })).rejects.toMatchObject({ code: "policy_violation" });
    await made.verdict({ reviewer: "security", verdict: "approve", round: 2 });
    expect((await rowsOf(made)).map(({ verdict, round }) => [verdict, round])).toEqual([
      ["needs_revision", 1],
      ["approve", 2],
    ]);
  });

  test("[FOR-151] a dispatched instance has one row: running at its start, its status, attempts and notes at its end", async () => {
    const made = await openLedgerBench(kind);
    const key = { run_id: RUN, step: "1", agent: "researcher", instance: "researcher-impact" };
    made.bench.clock.time = Date.parse("2026-02-26T14:30:00.250Z");
    await made.ledger.beginDispatch(made.call(), key);
    const running = { started_at: "2026-02-26T14:30:00.250Z", completed_at: null, status: "running", dispatch_count: 1, retry_count: 0 };
    expect((await made.ledger.rows(RUN)).telemetry).toEqual([{ id: 1, ...key, ...running, notes: null, ts: "2026-02-26 14:30:00" }]);
    made.bench.clock.time += 90_000;
    await made.ledger.beginDispatch(made.call(), key);
    const end = { ...key, status: "DONE", dispatch_count: 2, retry_count: 1, notes: "12000 tokens" } as const;
    await made.ledger.endDispatch(made.call(), end);
    made.bench.clock.time += 1_000;
    await made.ledger.endDispatch(made.call(), { ...end, notes: "later" });
    const { telemetry } = await made.ledger.rows(RUN);
    expect(telemetry).toMatchObject([{ ...end, started_at: running.started_at, completed_at: "2026-02-26T14:31:30.250Z" }]);
    await expect(made.ledger.endDispatch(made.call(), { ...end, status: "ERROR" })).rejects.toMatchObject({
      code: "policy_violation",
      message: expect.stringContaining("has ended with DONE, not ERROR"),
      details: { field: "status" },
    });
  });

  test("the end of a dispatch that has not begun is refused", async () => {
    const { ledger, call } = await openLedgerBench(kind);
    const end = {
      run_id: RUN,
      step: "2",
      agent: "spec",
      instance: "spec",
      status: "DONE",
      dispatch_count: 1,
      retry_count: 0,
      notes: null,
    } as const;
    await expect(ledger.endDispatch(call(), end)).rejects.toMatchObject({ code: "policy_violation" });
  });

  test("[FOR-152] the report has the number of dispatches, the average seconds of each step and the failed dispatches", async () => {
    const { bench, ledger, call } = await openLedgerBench(kind);
    const dispatch = async (step: string, agent: string, instance: string, seconds: number | null, status: "DONE" | "ERROR" = "DONE") => {
      const key = { run_id: RUN, step, agent, instance };
      await ledger.beginDispatch(call(), key);
      if (seconds === null) return;
      bench.clock.time += seconds * 1000;
      await ledger.endDispatch(call(), {
        ...key,
        status,
        dispatch_count: 1,
        retry_count: 0,
        notes: status === "ERROR" ? "it crashed" : null,
      });
    };
    await dispatch("1", "researcher", "a", 10);
    await dispatch("1", "researcher", "b", 20.5, "ERROR");
    await dispatch("1", "researcher", "c", null);
    await dispatch("2", "spec", "spec", null);
    const { dispatches, seconds_per_step, errors } = await ledger.telemetry(RUN);
    expect(dispatches).toBe(4);
    expect(seconds_per_step.map(({ step }) => step)).toEqual(["1", "2"]);
    expect(seconds_per_step[0]?.avg_seconds).toBeCloseTo(15.25, 3);
    expect(seconds_per_step[1]?.avg_seconds).toBeNull();
    expect(errors).toEqual([{ step: "1", agent: "researcher", status: "ERROR", notes: "it crashed" }]);
  });

  test("[FOR-150] the evidence of a task has ten columns, review rows first, then baseline and after by id", async () => {
    const made = await openLedgerBench(kind);
    await made.check({ name: "build", passed: true, phase: "after" });
    await made.check({ name: "build", passed: true, phase: "baseline" });
    await made.check({ name: "tests", passed: false, phase: "after", output: "1 failed" });
    await made.check({ name: "build", passed: true, phase: "after", task: "task-02" });
    const evidence = await made.ledger.evidence({ run_id: RUN, task_id: "task-01" });
    expect(evidence.map(({ phase, check_name }) => [phase, check_name])).toEqual([
      ["baseline", "build"],
      ["after", "build"],
      ["after", "tests"],
    ]);
    expect(Object.entries(evidence[2]!)).toEqual([
      ["phase", "after"],
      ["check_name", "tests"],
      ["tool", "sh"],
      ["command", "sh tests"],
      ["exit_code", 1],
      ["passed", 0],
      ["verdict", null],
      ["severity", null],
      ["round", 1],
      ["output_snippet", "1 failed"],
    ]);
  });
});
