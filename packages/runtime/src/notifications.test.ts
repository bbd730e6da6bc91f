import type { Outcome } from "@slipway/durable/outcome";
import type { Notice } from "@slipway/kernel/notify/payload";
import { expect, test } from "vitest";
import { keepReminding, tellOutcome } from "./notifications.ts";

const clock = { now: () => 0, monotonic: () => 0 };

async function toldOf(outcome: Outcome) {
  const told: (Notice & { readonly subject: string })[] = [];
  await tellOutcome({ tell: async (subject, notice) => void told.push({ subject, ...notice }) }, clock, "r1", outcome);
  return told;
}

test("a completed run is told as complete", async () => {
  expect(await toldOf({ status: "completed", value: null })).toEqual([
    { subject: "r1", event: "complete", state: { type: "completed", run_id: "r1" } },
  ]);
});

test("[CRI-134] a failed run is told as error, with a record of the failure", async () => {
  const failure = { code: "internal_error", message: "it broke", details: {} } as const;
  expect(await toldOf({ status: "failed", failure })).toEqual([
    {
      subject: "r1",
      event: "error",
      state: { type: "failed", run_id: "r1", code: "internal_error" },
      record: { id: "r1", phase: "run", query: "it broke", blockedAt: "1970-01-01T00:00:00.000Z", resolved: false },
    },
  ]);
});

test.each<Outcome>([
  { status: "waiting", questions: [] },
  { status: "stopped", reason: "r" },
  { status: "cancelled", reason: "r" },
])("nothing is told of a run that is $status", async (outcome) => {
  expect(await toldOf(outcome)).toEqual([]);
});

test("reminders are looked for at once, and a failure to look is no failure of the session", async () => {
  let looks = 0;
  const reminders = keepReminding({
    remind: () => {
      looks++;
      return Promise.reject(new Error("the database is locked"));
    },
  });
  await reminders.stop();
  expect(looks).toBe(1);
});
