import { expect, test } from "vitest";
import { fromFailure, SlipwayError, toFailure, type Failure } from "./errors.ts";
import { isRetryable, isStorageFailure, recordable, stepFailure } from "./failures.ts";

test("an error converts to a value and back", () => {
  const error = new SlipwayError("database_locked", "busy", { file: "a.db", suggested_next_actions: ["wait"] });
  const back = fromFailure(JSON.parse(JSON.stringify(toFailure(error))) as Failure);
  expect([back.code, back.message, back.details]).toEqual([error.code, error.message, error.details]);
  expect(back.details).toMatchObject({ retryable: true, requires_human: false, file: "a.db", suggested_next_actions: ["wait"] });
});

test("an unknown code becomes internal_error", () => {
  const failure = { code: "from_the_future", message: "?", details: {} } as unknown as Failure;
  expect(fromFailure(failure)).toMatchObject({ code: "internal_error", message: "?" });
});

test("any thrown value becomes a failure", () => {
  expect(toFailure("text")).toMatchObject({ code: "internal_error", message: "text" });
  expect(stepFailure("s", new Error("no"))).toMatchObject({ code: "step_failed", message: 'Step "s" failed: no', details: { step: "s" } });
  expect(isRetryable(new Error("no"))).toBe(false);
  expect(isStorageFailure(new SlipwayError("disk_full", "full"))).toBe(true);
  expect(isStorageFailure(new SlipwayError("step_failed", "red"))).toBe(false);
});

test("details that are not JSON are dropped", () => {
  expect(
    recordable({ code: "step_failed", message: "a\ud800", details: { ok: 1, "\ud800": 2, bad: () => 1, cause: new Error("x") } }),
  ).toEqual({
    code: "step_failed",
    message: "a\ufffd",
    details: { ok: 1 },
  });
});
