import { describe, expect, test } from "vitest";
import { assertTaskTransition, stateMachineSchema, TASK_STATUSES, taskSchema, type TaskCause } from "./state.ts";

const CAUSES: readonly TaskCause[] = [
  "DISPATCH",
  "ENGINEERING",
  "CASCADE",
  "APPROVE_OVERRIDE",
  "AMEND_SPEC",
  "SPLIT_TASK",
  "REVISE_PLAN",
  "PROVIDE_FIX",
  "ABANDON_TASK",
  "APPROVE_CHANGE",
  "REJECT_CHANGE",
  "ATTESTATION",
];

/** As the specification lists them. */
const LEGAL: Readonly<Record<string, readonly TaskCause[]>> = {
  "PENDING IN_PROGRESS": ["DISPATCH"],
  "IN_PROGRESS SHIPPED": ["ENGINEERING"],
  "IN_PROGRESS HALTED": ["ENGINEERING"],
  "PENDING BLOCKED": ["CASCADE"],
  "BLOCKED PENDING": ["CASCADE"],
  "HALTED PENDING": ["AMEND_SPEC", "APPROVE_CHANGE", "REJECT_CHANGE"],
  "HALTED IN_PROGRESS": ["APPROVE_OVERRIDE", "REVISE_PLAN", "PROVIDE_FIX"],
  "HALTED ABANDONED": ["ABANDON_TASK", "SPLIT_TASK"],
  "HALTED SHIPPED": ["ATTESTATION"],
  "BLOCKED ABANDONED": ["ABANDON_TASK", "SPLIT_TASK"],
};

test("[FAC-064] there are six statuses, and no other is accepted", () => {
  expect([...TASK_STATUSES].toSorted()).toEqual(["ABANDONED", "BLOCKED", "HALTED", "IN_PROGRESS", "PENDING", "SHIPPED"]);
  for (const status of ["DONE", "pending", "", null]) expect(taskSchema.shape.status.safeParse(status).success).toBe(false);
});

test("times may be in any zone", () => {
  const { updated_at } = stateMachineSchema.shape;
  expect(["2026-11-19T22:00:00Z", "2026-11-20T00:00:00+02:00"].map((at) => updated_at.safeParse(at).success)).toEqual([true, true]);
});

describe("[FAC-065] [FAC-066] a transition is allowed for its causes and no others", () => {
  const pairs = TASK_STATUSES.flatMap((from) => TASK_STATUSES.map((to) => [from, to] as const));

  test.each(pairs)("from %s to %s", (from, to) => {
    const allowed = CAUSES.filter((cause) => {
      try {
        assertTaskTransition("T-a-b-c-001", from, to, cause);
        return true;
      } catch {
        return false;
      }
    });
    expect(allowed.toSorted()).toEqual([...(LEGAL[`${from} ${to}`] ?? [])].toSorted());
  });
});
