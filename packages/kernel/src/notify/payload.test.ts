import { describe, expect, test } from "vitest";
import { NOTIFICATION_EVENTS } from "../config/notifications.ts";
import type { InboxQuestion } from "../record/questions/question.ts";
import { blockingRecord, notificationPayload } from "./payload.ts";
import { notificationState, type NotificationRow } from "./state.ts";

const ASKED = Date.UTC(2026, 10, 18, 8);

const question = (changes: Partial<InboxQuestion> = {}): InboxQuestion => ({
  id: "r1#choose",
  runId: "r1",
  name: "choose",
  kind: "canonical_conflict",
  title: "Which one holds?",
  body: "SECRET BODY",
  options: [{ value: "a", label: "The first one" }],
  answerSchema: {},
  context: { phase: "lattice" },
  answerableBy: [],
  askedAt: ASKED,
  expiresAt: null,
  remindAt: [],
  reminded: 0,
  status: "open",
  answer: null,
  answeredBy: null,
  answeredAt: null,
  ...changes,
});

const state = { type: "blocked", run_id: "r1" } as const;

describe("[CRI-134] the blocking record", () => {
  test("has id, phase, query, options, time and that it is open, and nothing of the body", () => {
    expect(blockingRecord(question())).toEqual({
      id: "r1#choose",
      phase: "lattice",
      query: "Which one holds?",
      options: ["The first one"],
      blockedAt: "2026-11-18T08:00:00.000Z",
      resolved: false,
    });
  });

  test("leaves out options that do not exist, and takes the kind for a phase", () => {
    expect(blockingRecord(question({ options: [], context: {} }))).toEqual({
      id: "r1#choose",
      phase: "canonical_conflict",
      query: "Which one holds?",
      blockedAt: "2026-11-18T08:00:00.000Z",
      resolved: false,
    });
  });

  test("a timeout in the past leaves it unresolved; only an answer resolves it", () => {
    expect(blockingRecord(question({ expiresAt: ASKED + 1 }))).toMatchObject({ timeoutMs: 1, resolved: false });
    const answered = blockingRecord(question({ status: "answered", answer: { decision: "a" } }));
    expect(answered).toMatchObject({ resolved: true, resolution: { decision: "a" } });
  });

  test("long texts are cut", () => {
    const long = blockingRecord(
      question({ title: "x".repeat(10_000), options: Array.from({ length: 500 }, () => ({ value: "v", label: "y".repeat(999) })) }),
    );
    expect(JSON.stringify(long).length).toBeLessThan(15_000);
    expect(long.query).toHaveLength(2_000);
  });
});

describe("the payload", () => {
  test.each(NOTIFICATION_EVENTS)("[CRI-134] %s has event, time and state; a blocking record only for block and error", (event) => {
    const payload = notificationPayload({ event, state, record: blockingRecord(question()) }, ASKED);
    expect(payload).toMatchObject({ event, timestamp: "2026-11-18T08:00:00.000Z", protocol_state: state });
    expect("blocking_record" in payload).toBe(event === "block" || event === "error");
  });

  test("[CRI-138] the text for a person is one line that says the run is blocked and to run slipway status", () => {
    const { text } = notificationPayload({ event: "block", state: { ...state, run_id: "r1\n2" } }, ASKED);
    expect(text).toBe("Slipway: run r1 2 is blocked. Run `slipway status` for details.");
    expect(notificationPayload({ event: "block", state: { ...state, run_id: null } }, ASKED).text).toMatch(/^Slipway: a run is blocked/);
  });
});

describe("[CRI-136] the content of notification-state.json", () => {
  const config = { enabled: true, reminder_schedule: "0 9 * * *" };
  const facts = { blockedSince: ASKED, lastSent: null, now: ASKED + 1_000 };

  test("has the schedule, and times where there are any", () => {
    expect(notificationState(config, "UTC", { ...facts, lastSent: ASKED - 1 }, [])).toEqual({
      cron_expression: "0 9 * * *",
      enabled: true,
      last_sent: "2026-11-18T07:59:59.999Z",
      next_scheduled: "2026-11-18T09:00:00.000Z",
      failures: [],
    });
    expect(notificationState(config, "UTC", { ...facts, blockedSince: null }, [])).toEqual({
      cron_expression: "0 9 * * *",
      enabled: true,
      failures: [],
    });
    expect(notificationState({ enabled: true }, "UTC", facts, [])).toEqual({ cron_expression: null, enabled: false, failures: [] });
  });

  test("[CRI-137] lists failed messages with host and reason", () => {
    const row = {
      id: "m",
      event: "block",
      subject: "q",
      run_id: "r1",
      channel: "hooks.example.com",
      attempts: 1,
      at: ASKED,
      ended_at: ASKED,
    };
    const rows = [
      { ...row, status: "failed", reason: "it answered with status 500" },
      { ...row, status: "sent", reason: null },
    ] as NotificationRow[];
    expect(notificationState(config, "UTC", facts, rows).failures).toEqual([
      { event: "block", channel: "hooks.example.com", at: "2026-11-18T08:00:00.000Z", reason: "it answered with status 500" },
    ]);
  });
});
