import { expect, test } from "vitest";
import { isFinished, RUN_TRANSITIONS, type RunStatus } from "./status.ts";

const statuses = Object.keys(RUN_TRANSITIONS) as RunStatus[];

test("a run is finished exactly when its status has no transition", () => {
  expect(statuses.filter(isFinished)).toEqual(["completed", "failed", "cancelled"]);
});

test("a run can be cancelled from every other status, and every status can be reached", () => {
  for (const status of statuses) if (!isFinished(status)) expect(RUN_TRANSITIONS[status]).toContain("cancelled");
  expect(new Set(["pending", ...Object.values(RUN_TRANSITIONS).flat()])).toEqual(new Set(statuses));
});
