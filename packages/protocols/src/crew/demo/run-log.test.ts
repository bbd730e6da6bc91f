import { expect, test } from "vitest";
import { printRunRecord, type RunLogRecord } from "../prompts/run-record.ts";
import { dispatchesIn, readRunLog, statesIn } from "./run-log.ts";

const record = (
  state: RunLogRecord["state"],
  next: RunLogRecord["next_state_hint"],
  agents: readonly ("Coder" | "QA")[] = [],
): RunLogRecord => ({
  state,
  dispatch: agents.map((agent) => ({ agent, task: "T-001", project_type: "lib" })),
  why: "because",
  blockers: [],
  next_state_hint: next,
});

const LOG = [
  record("IMPLEMENT_LOOP", "IMPLEMENT_LOOP", ["Coder"]),
  record("IMPLEMENT_LOOP", "BLOCKED", ["QA"]),
  record("BLOCKED", null),
  record("BLOCKED", "IMPLEMENT_LOOP"),
];

test("a log gives the states in the order in which the session was in them, and its dispatches", () => {
  const log = readRunLog(LOG.map(printRunRecord).join(""));
  expect(log).toEqual(LOG);
  expect(statesIn(log)).toEqual(["IMPLEMENT_LOOP", "BLOCKED", "IMPLEMENT_LOOP"]);
  expect(dispatchesIn(log)).toBe(2);
});
