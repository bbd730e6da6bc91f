import fc from "fast-check";
import { expect, test } from "vitest";
import { LEDGER_GATES, type GateQuestion } from "./gates.ts";
import type { ForgeLedger } from "./ledger.ts";
import { MARKERS } from "./inputs.ts";
import { beginRun, openForgeBench, type LedgerBench } from "./testing/ledger-bench.ts";

const TASKS = ["task-01", "task-02"];
const NAMES = ["build", "tests", "revert-task-01", "review-design-x"];
const ROUNDS = [1, 2];

const task = fc.constantFrom(...TASKS);
const round = fc.constantFrom(...ROUNDS);

const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("check" as const),
      name: fc.constantFrom(...NAMES),
      passed: fc.boolean(),
      phase: fc.constantFrom("baseline" as const, "after" as const),
      task,
      round,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("marker" as const), marker: fc.constantFrom(...MARKERS), task, round }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("verdict" as const),
      reviewer: fc.constantFrom<string[]>("a", "b", "c"),
      verdict: fc.constantFrom("approve" as const, "needs_revision" as const, "blocker" as const),
      scope: fc.constantFrom("design" as const, "code" as const),
      round,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("dispatch" as const),
      step: fc.constantFrom("5", "6"),
      instance: fc.constantFrom("x", "y"),
      ends: fc.constantFrom("DONE" as const, "ERROR" as const, null),
      seconds: fc.nat({ max: 500 }),
    }),
  },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const verdicts = (round: number, values: readonly ("approve" | "blocker")[]) =>
  (["design", "code"] as const).flatMap((scope) =>
    values.map((verdict, index) => ({ kind: "verdict" as const, reviewer: "abc"[index] ?? "a", verdict, scope, round })),
  );
const checks = (names: readonly string[], passed: boolean, phase: "baseline" | "after") =>
  names.map((name) => ({ kind: "check" as const, name, passed, phase, task: "task-01", round: 1 }));

/** Reaches every gate in both states. */
const EXAMPLE: Event[] = [
  ...checks(["tests"], true, "baseline"),
  ...checks(["build", "revert-task-01", "review-design-x"], true, "after"),
  ...checks(["tests"], false, "after"),
  ...verdicts(1, ["approve", "approve", "approve"]),
  ...verdicts(2, ["blocker"]),
];

/** What the event led to: its row, or the code of its refusal. */
async function happen(made: LedgerBench, run_id: string, one: Event): Promise<string> {
  const { ledger, bench, call } = made;
  try {
    if (one.kind === "check") await made.check(one);
    else if (one.kind === "verdict") await made.verdict(one);
    else if (one.kind === "marker")
      await ledger.recordMarker(call(), { run_id, task_id: one.task, round: one.round, marker: one.marker, explanation: "x" });
    else {
      const key = { run_id, step: one.step, agent: "verifier", instance: one.instance };
      await ledger.beginDispatch(call(), key);
      bench.clock.time += one.seconds * 1000;
      if (one.ends !== null) await ledger.endDispatch(call(), { ...key, status: one.ends, dispatch_count: 1, retry_count: 0, notes: null });
    }
    return "done";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

function questions(run_id: string): GateQuestion[] {
  return [...TASKS, "dark-mode-design-review", "dark-mode-code-review"].flatMap((task_id) =>
    ROUNDS.flatMap((round) =>
      LEDGER_GATES.flatMap((gate): GateQuestion[] => {
        const common = { run_id, task_id };
        if (gate === "baseline-exists") return [{ gate, ...common }];
        if (gate === "verification-sufficient") return (["Standard", "Large"] as const).map((size) => ({ gate, ...common, round, size }));
        if (gate === "review-completion") return (["design", "code"] as const).map((scope) => ({ gate, ...common, round, scope }));
        return [{ gate, ...common, round }];
      }),
    ),
  );
}

/** Ids are those of the store, so only their order is compared. */
async function everything(ledger: ForgeLedger, run_id: string) {
  const rounds = TASKS.flatMap((task_id) => ROUNDS.map((round) => ({ run_id, task_id, round })));
  const each = async <T>(ask: (of: (typeof rounds)[number]) => Promise<T>) => Promise.all(rounds.map(ask));
  const { seconds_per_step, ...report } = await ledger.telemetry(run_id);
  const { checks, telemetry } = await ledger.rows(run_id);
  return {
    checks: checks.map(({ id: _id, ...row }) => row),
    telemetry: telemetry.map(({ id: _id, ...row }) => row),
    gates: await ledger.gates(questions(run_id)),
    counts: await each(ledger.counts),
    regressions: await each(ledger.regressions),
    known: await each(ledger.knownFailures),
    evidence: await each(ledger.evidence),
    report,
    steps: seconds_per_step.map(({ step }) => step),
    seconds: seconds_per_step.map(({ avg_seconds }) => avg_seconds),
  };
}

test("[FOR-129][FOR-137] both ledgers give the same answers for the same history, at every gate", async () => {
  const [tables, documents] = [await openForgeBench(), await openForgeBench()];
  const reached = new Set<string>();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
      const id = new Date(++run * 1000).toISOString();
      tables.clock.time = documents.clock.time = 1_000;
      const [rows, document] = [await beginRun(tables, "sqlite", id), await beginRun(documents, "yaml", id)];
      for (const one of events) expect(await happen(document, id, one)).toBe(await happen(rows, id, one));
      const { seconds, ...answers } = await everything(rows.ledger, id);
      const { seconds: same, ...others } = await everything(document.ledger, id);
      expect(others).toEqual(answers);
      // JULIANDAY has a precision of a few microseconds.
      for (const [index, average] of seconds.entries()) expect(same[index] ?? -1).toBeCloseTo(average ?? -1, 2);
      for (const { gate, passed } of answers.gates) reached.add(`${gate} ${passed}`);
    }),
    { numRuns: 25, examples: [[EXAMPLE]] },
  );
  // The histories show something only if every gate is asked in both states.
  expect([...reached].toSorted()).toEqual(LEDGER_GATES.flatMap((gate) => [`${gate} false`, `${gate} true`]).toSorted());
});
