import type { Question } from "@slipway/durable/ctx";
import { SlipwayError } from "@slipway/agents/errors";
import { expect, test } from "vitest";
import { perform, mustPerform } from "./perform.ts";
import type { ChangeRun } from "./change-run.ts";

/** Runs every step at once and answers every question with "retry". */
function plainCtx() {
  const steps: string[] = [];
  const asked: Question<unknown>[] = [];
  const ctx = {
    runId: "run",
    step: (name: string, body: (signal: AbortSignal) => Promise<unknown>) => (steps.push(name), body(new AbortController().signal)),
    ask: async (_name: string, question: Question<unknown>) => (asked.push(question), { decision: "retry" }),
  };
  return { change: { ctx, id: "f", run: [] } as unknown as ChangeRun, steps, asked };
}

function failing(...errors: Error[]) {
  return async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return "done";
  };
}

test("perform returns a refusal, and mustPerform throws it", async () => {
  const { change } = plainCtx();
  const refusal = () => new SlipwayError("policy_violation", "not in the plan");
  expect(await perform(change, "s", failing(refusal()))).toMatchObject({ ok: false, failure: { code: "policy_violation" } });
  await expect(mustPerform(change, "s", failing(refusal()))).rejects.toMatchObject({ code: "policy_violation" });
});

test("a failure that a person can fix is asked about until it is fixed, each time under a new step name", async () => {
  const { change, steps, asked } = plainCtx();
  const trouble = () => new SlipwayError("sandbox_unavailable", "no sandbox");
  expect(await perform(change, "s", failing(trouble(), trouble()))).toEqual({ ok: true, value: "done" });
  expect(steps).toEqual(["s", "s~2", "s~3"]);
  expect(asked.map(({ body }) => body)).toEqual(["no sandbox", "no sandbox"]);
});

test.each([
  ["a stop", new SlipwayError("run_stopped", "stopped")],
  ["full storage", new SlipwayError("disk_full", "full")],
  ["a lost lease", new SlipwayError("lease_lost", "another process is in charge")],
])("%s is thrown and not recorded as a value", async (_what, error) => {
  await expect(perform(plainCtx().change, "s", failing(error))).rejects.toBe(error);
});

test.each([
  ["a failure of git", new SlipwayError("git_failed", "cannot lock ref")],
  ["a bug", new TypeError("cannot lock ref")],
])("%s becomes a question with the reason", async (_what, error) => {
  const { change, asked } = plainCtx();
  expect(await perform(change, "s", failing(error))).toEqual({ ok: true, value: "done" });
  expect(asked).toMatchObject([{ kind: "mend", body: expect.stringContaining("cannot lock ref") }]);
});

test("a retryable failure is retried, then becomes a question", async () => {
  const { change, steps, asked } = plainCtx();
  const passing = () => new SlipwayError("worktree_changed", "edited a moment ago");
  expect(await perform(change, "s", failing(passing(), passing()))).toEqual({ ok: true, value: "done" });
  expect(asked).toEqual([]);
  expect(await perform(change, "t", failing(passing(), passing(), passing()))).toEqual({ ok: true, value: "done" });
  expect(asked).toHaveLength(1);
  expect(steps).toEqual(["s", "s~2", "s~3", "t", "t~2", "t~3", "t~4"]);
});

test("codes that the caller handles are returned", async () => {
  const { change, asked } = plainCtx();
  const codes = ["base_moved", "user_approval_required"] as const;
  for (const code of codes) {
    expect(await perform(change, "s", failing(new SlipwayError(code, "x")), { returned: codes })).toMatchObject({
      ok: false,
      failure: { code },
    });
  }
  expect(asked).toEqual([]);
});
