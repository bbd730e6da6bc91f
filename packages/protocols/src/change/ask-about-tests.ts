import type { Failure } from "@slipway/durable/errors";
import { NOT_RUN, WITHOUT_TESTS } from "@slipway/kernel/change/judge/expected-tests/expect-tests";
import { z } from "zod";
import { nextActions } from "../dispatch/pauses.ts";
import type { ChangeRun, OperationResult } from "./change-run.ts";
import { mustPerform } from "./perform.ts";
import type { AttemptResult } from "./phase.ts";
import { CHANGE_STEPS } from "./steps.ts";

const testsAnswer = z.strictObject({ decision: z.enum(["retry", WITHOUT_TESTS, "give_up"]), comment: z.string().optional() });

/**
 * Runs a gate of a change that has to run its own tests. If the gate passes without them, a person decides: correct the gates and try
 * again, merge without the tests, which is recorded as their decision, or give up. The value is null if they give up.
 */
export async function gateWithTests<T>(
  change: ChangeRun,
  name: string,
  status: "building" | "qa",
  run: (attempt: string) => Promise<OperationResult<T>>,
): Promise<AttemptResult<T | null>> {
  const first = await run(name);
  if (first.ok || first.failure.code !== NOT_RUN) return first;
  const { features } = change.services.kernel;
  const step = `tests:${status}:${name}`;
  const setStatus = (kind: string, to: "building" | "qa" | "failed", reason: string) =>
    mustPerform(change, `${kind}:${step}`, (call) => features.changeStatus(call, { feature_id: change.id, to, reason }));
  await mustPerform(change, CHANGE_STEPS.block.named(step), (call) =>
    features.changeStatus(call, { feature_id: change.id, to: "blocked", reason: first.failure.message }),
  );
  const { decision, comment } = await change.ctx.ask(step, testsQuestion(change.id, first.failure));
  switch (decision) {
    case "give_up":
      await setStatus("give-up", "failed", comment ?? "given up by a person: the gate does not run its tests");
      return { ok: true, value: null };
    case "retry":
      await setStatus("reopen", "building", `a person asked for another try (${step})`);
      return { ok: false, reply: comment ?? "Try again." };
    case WITHOUT_TESTS:
      await mustPerform(change, `waive:${step}`, (call) =>
        features.waiveTests(call, { feature_id: change.id, question_id: `${change.ctx.runId}#${step}` }),
      );
      await setStatus("continue", status, `a person decided to merge without its tests (${step})`);
      return run(`${name}.without-tests`);
  }
}

function testsQuestion(id: string, failure: Failure) {
  return {
    kind: "tests_not_run",
    title: `The gates do not run the tests of ${id}`,
    body: [failure.message, ...nextActions(failure)].join("\n"),
    options: [
      { value: "retry", label: "I have corrected the gates: run them again (changes in slipway/ take effect after `slipway resume`)" },
      { value: WITHOUT_TESTS, label: "merge without these tests; recorded as your decision" },
      { value: "give_up", label: "end this feature; its work stays reachable" },
    ],
    schema: testsAnswer,
    context: { feature_id: id, code: failure.code },
    answerableBy: ["person" as const],
  };
}
