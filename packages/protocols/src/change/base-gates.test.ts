import type { Ctx } from "@slipway/durable/ctx";
import type { Kernel } from "@slipway/kernel/kernel";
import { describe, expect, test } from "vitest";
import { baseGatesAnswer, tryGatesOnBase } from "./base-gates.ts";

const PASS = { profile: "p", mode: "fast", status: "pass", failure: null, step: null, cause: null } as const;
const step = { name: "unit", command: ["npm", "test"], exit_code: 1, log_path: "logs/unit.log", log_tail: ["1 failed"] };
const FAIL = { ...PASS, status: "fail", failure: { code: "gate_failed", message: "exit 1" }, step } as const;

type Asked = { readonly title: string; readonly body: string; readonly answerableBy: readonly string[] };

/** Tries the gates on a base; one report for each round, one answer for each question. */
async function tried(
  reports: readonly (readonly object[])[],
  answers: readonly object[] = [],
  { skip = false, commit = "0123456789abcdef" as string | null } = {},
) {
  const asked: Asked[] = [];
  const rounds: string[] = [];
  const ctx = {
    runId: "run",
    step: async (name: string, work: (signal: AbortSignal) => unknown) => {
      rounds.push(name);
      return work(new AbortController().signal);
    },
    ask: async (_: string, question: Asked) => baseGatesAnswer.parse(answers[asked.push(question) - 1]),
  } as unknown as Ctx;
  const trials = { onBase: async () => ({ of: "main", commit, tree: "t", trials: reports[rounds.length - 1] }) };
  const kernel = { trials, configuration: { policy: { gates: { try_on_base: true } } } } as unknown as Kernel;
  return { reason: await tryGatesOnBase(ctx, kernel, skip), asked, rounds };
}

describe("gates that fail before any change", () => {
  test("stop the run with the person's words, or with what fails", async () => {
    expect((await tried([[FAIL]], [{ decision: "stop", comment: "not today" }])).reason).toBe("not today");
    expect((await tried([[FAIL]], [{ decision: "stop" }])).reason).toBe("the gates fail on main before any change");
  });

  test("are run again after the person has mended the base, until they pass", async () => {
    const { reason, rounds } = await tried([[FAIL], [PASS]], [{ decision: "again" }]);
    expect([reason, rounds]).toEqual([null, ["base-gates:1", "base-gates:2"]]);
  });

  test("are left to the agents where the person says so", async () => {
    expect((await tried([[FAIL]], [{ decision: "go_on" }])).reason).toBeNull();
  });

  test("are a person's question: no agent may wave its own base through", async () => {
    expect((await tried([[FAIL]], [{ decision: "go_on" }])).asked[0]?.answerableBy).toEqual(["person"]);
  });
});

describe("the question", () => {
  const bodyOf = async (trials: readonly object[], commit?: string | null) =>
    (await tried([trials], [{ decision: "stop" }], commit === undefined ? {} : { commit })).asked[0]!;

  test("shows where each gate failed and the end of its log, and once what two gates failed at alike", async () => {
    const { title, body } = await bodyOf([FAIL, { ...FAIL, mode: "full" }, { ...PASS, mode: "lint" }]);
    expect(title).toBe("The fast and full gates fail on main, before any change");
    expect(body).toContain("in a fresh checkout of main (0123456789)");
    expect(body).toContain('fast and full: failed at step "unit" (npm test), exit code 1: exit 1');
    expect(body.split("  | 1 failed")).toHaveLength(2);
    expect(body).toContain("lint: passed");
  });

  test("keeps apart gates that failed with other logs", async () => {
    const other = { ...FAIL, mode: "full", step: { ...step, log_path: "logs/other.log" } };
    expect((await bodyOf([FAIL, other])).body.split("  | 1 failed")).toHaveLength(3);
  });

  test("says the likely cause and the next action where they are known", async () => {
    const { body } = await bodyOf([{ ...FAIL, cause: { cause: "no node_modules", next: "Run npm ci." } }]);
    expect(body).toContain("likely cause: no node_modules\nnext: Run npm ci.");
  });

  test("of a gate that was killed, or that could not begin, names no exit code and no step", async () => {
    expect((await bodyOf([{ ...FAIL, step: { ...step, exit_code: null } }])).body).toContain('at step "unit" (npm test): exit 1');
    const { body } = await bodyOf([
      { ...FAIL, step: null },
      { ...FAIL, mode: "full", step: null },
    ]);
    expect(body).toContain("fast: failed: exit 1");
    expect(body).toContain("full: failed: exit 1");
  });

  test("tells a warning from a failure", async () => {
    const warned = { ...PASS, mode: "full", status: "warn", failure: { code: "x", message: "no report" } };
    expect((await bodyOf([FAIL, warned])).body).toContain("full: passed with a warning: no report");
  });
});

test("gates that pass, and gates that are skipped, ask nobody", async () => {
  expect(await tried([[PASS]])).toMatchObject({ reason: null, asked: [] });
  expect(await tried([], [], { skip: true })).toEqual({ reason: null, asked: [], rounds: [] });
});
