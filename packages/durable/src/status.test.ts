import { expect, test } from "vitest";
import { isFinished, RUN_TRANSITIONS, type RunStatus } from "./status.ts";

const statuses = Object.keys(RUN_TRANSITIONS) as RunStatus[];

test("a run is finished exactly when it cannot go anywhere", () => {
  expect(statuses.filter(isFinished)).toEqual(["completed", "failed", "cancelled"]);
});

test("from every other status a run can be cancelled, and every status can be reached", () => {
  for (const status of statuses) if (!isFinished(status)) expect(RUN_TRANSITIONS[status]).toContain("cancelled");
  expect(new Set(["pending", ...Object.values(RUN_TRANSITIONS).flat()])).toEqual(new Set(statuses));
});
