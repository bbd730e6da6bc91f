import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { acceptStatusEdit } from "./edits.ts";
import { createdStatus, emptyStatus } from "./first-status.ts";
import { inSession, sessionNameSchema, sessionPath, sessionSlug } from "./session-name.ts";
import { blocked, BLOCKERS, knownIssue, MAX_REPAIRS, parseStatus, repairsOf, statusSchema, withRepairs } from "./status.ts";
import { AT, sampleStatus, SESSION } from "./testing/samples.ts";

const isValid = (changes: object) => statusSchema.safeParse({ ...sampleStatus(), ...changes }).success;
const pending = {
  decision_id: "UD-1",
  question: "Which?",
  status: "pending",
  answer: null,
  asked_at: AT,
  resolved_at: null,
  state_context: "PLAN",
  resolution_reason: null,
};

describe("the session's name", () => {
  test("[CRW-025] a date and a slug of 2 to 4 words, whatever is asked for", () => {
    expect(sessionSlug("Please add a dark mode to the settings page")).toBe("dark-mode-settings");
    expect(sessionSlug("Refactor")).toBe("refactor-session");
    expect(sessionSlug("¿Qué?")).toBe("que-session");
    expect(sessionSlug("…")).toBe("crew-session");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (request) => {
        const slug = sessionSlug(request);
        expect(sessionNameSchema.safeParse(`2026-11-18_${slug}`).success).toBe(true);
        // The number of a second session of that day and name.
        expect(sessionNameSchema.safeParse(`2026-11-18_${slug}-2`).success).toBe(true);
      }),
    );
    for (const name of ["2026-11-18_one", "2026-11-18_a-b-c-d-e", "2026-11-18_Date-Format", "date-format", "2026-11-18_a--b"])
      expect(sessionNameSchema.safeParse(name).success).toBe(false);
  });

  test("names within a session, and nothing outside it", () => {
    expect(inSession(SESSION, `${sessionPath(SESSION)}adr/ADR-001.md`)).toBe("adr/ADR-001.md");
    for (const path of [sessionPath(SESSION), ".slipway/runs/2026-11-17_other-run/spec.md", "spec.md"])
      expect(inSession(SESSION, path)).toBeNull();
  });
});

describe("status.json", () => {
  test.each([
    "current_state",
    "session",
    "assumptions",
    "user_decisions",
    "retry_counts",
    "known_issues",
    "last_ci_result",
    "last_update",
    "mode",
  ])("[CRW-038] %s must be there", (field) => {
    expect(isValid({})).toBe(true);
    expect(isValid({ [field]: undefined })).toBe(false);
  });

  test("[CRW-038] values outside their lists are refused", () => {
    expect(isValid({ current_state: "REVIEW" })).toBe(false);
    expect(isValid({ last_ci_result: "yellow" })).toBe(false);
    expect([isValid({ last_update: "yesterday" }), isValid({ last_update: "2026-11-18T12:00:00+02:00" })]).toEqual([false, true]);
    expect(isValid({ session: "date-format" })).toBe(false);
    expect(isValid({ runtime_flags: { copilot_instructions_exists: true, copilot_checked_at: AT } })).toBe(true);
    expect(isValid({ runtime_flags: { copilot_instructions_exists: "yes", copilot_checked_at: AT } })).toBe(false);
  });

  test("[CRW-039] `blocker` stands exactly while the session is blocked, with its detail in known_issues", () => {
    expect(isValid({ blocker: "persistence_failure" })).toBe(false);
    expect(isValid({ current_state: "BLOCKED", known_issues: ["x"] })).toBe(false);
    const stopped = blocked(sampleStatus(), BLOCKERS.failedDispatch, "Coder timed out.", "Resume.");
    expect(isValid(stopped)).toBe(true);
    expect(stopped.known_issues).toEqual(["subagent_failure: Coder timed out. Recovery: Resume."]);
    expect(isValid({ ...stopped, known_issues: [] })).toBe(false);
    expect(isValid({ mode: "quick" })).toBe(false);
    expect([BLOCKERS.missingDecision, BLOCKERS.persistence]).toEqual(["mandatory_user_decision_missing", "persistence_failure"]);
  });

  test("[CRW-040] gate_tracking has its form", () => {
    const last = { agent: "Architect", task_id: "meta", at: AT };
    const of = (APPROVE_DESIGN: unknown) => isValid({ gate_tracking: { APPROVE_DESIGN } });
    expect(of({ correction_status: "dispatched", last_correction_dispatch: last })).toBe(true);
    expect([of({}), of(null), of({ correction_status: null })]).toEqual([true, true, true]);
    expect(of({ correction_status: "sent" })).toBe(false);
    expect(of({ correction_status: "none", last_correction_dispatch: { ...last, agent: "Planner" } })).toBe(false);
    expect(of({ correction_status: "none", last_correction_dispatch: { ...last, task_id: "T-001" } })).toBe(false);
    expect(isValid({ gate_tracking: { OTHER: {} } })).toBe(false);
  });

  test("[CRW-041] counters are 0 to 3 by task or meta and loop; a missing one is 0", () => {
    const of = (counts: object) => isValid({ retry_counts: counts });
    expect([of({ "T-001": { FIX_REVIEW: 0, FIX_BUILD: 3 } }), of({ meta: { FIX_SECURITY: 1, FIX_TESTS: 2 } })]).toEqual([true, true]);
    for (const counts of [
      { "T-001": { FIX_REVIEW: 4 } },
      { "T-001": { FIX_REVIEW: -1 } },
      { "T-001": { FIX_REVIEW: 1.5 } },
      { "T-001": { FIX_ALL: 1 } },
      { all: {} },
    ])
      expect(of(counts)).toBe(false);
    const counted = withRepairs(sampleStatus(), "T-001", "FIX_TESTS", 2);
    expect([
      repairsOf(counted, "T-001", "FIX_TESTS"),
      repairsOf(counted, "T-001", "FIX_BUILD"),
      repairsOf(counted, "meta", "FIX_TESTS"),
    ]).toEqual([2, 0, 0]);
    expect(withRepairs(counted, "T-001", "FIX_BUILD", 1).retry_counts).toEqual({ "T-001": { FIX_TESTS: 2, FIX_BUILD: 1 } });
    expect(MAX_REPAIRS).toBe(3);
  });

  test("[CRW-049] a field for the status of tasks is refused", () => {
    for (const field of ["tasks", "task_status", "task_statuses"]) expect(isValid({ [field]: { "T-001": "completed" } })).toBe(false);
    expect(isValid({ retry_counts: { "T-001": { status: "completed" } } })).toBe(false);
  });

  test("[CRW-082] a lean session holds no decision of a gate", () => {
    const gate = { ...pending, decision_id: "UD-REVIEW-STRATEGY", state_context: "REVIEW_STRATEGY" };
    expect(isValid({ user_decisions: [gate] })).toBe(true);
    expect(isValid({ mode: "lean", user_decisions: [gate] })).toBe(false);
    expect(isValid({ mode: "lean", user_decisions: [pending] })).toBe(true);
  });

  test("[CRW-044] any answer and reason reads back as it was said", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (tail) => {
        const answer = `a "quoted" \\ {brace}\nzażółć ${tail}`;
        const decision = { ...pending, status: "answered" as const, answer, resolved_at: AT, resolution_reason: answer };
        const status = sampleStatus({ user_decisions: [decision as never] });
        expect(parseStatus(JSON.stringify(status))).toEqual({ ok: true, value: status });
      }),
    );
    expect(parseStatus("{").ok).toBe(false);
  });

  test("a known issue is noted once", () => {
    const once = knownIssue(sampleStatus(), "slow");
    expect(knownIssue(knownIssue(once, "slow"), " ").known_issues).toEqual(["slow"]);
  });
});

describe("the first status.json", () => {
  const start = { session: SESSION, mode: "lean", at: AT } as const;
  const { mode: _mode, retry_counts: _counts, last_ci_result: _ci, ...created } = emptyStatus(start);
  const made = (changes: object = {}) => createdStatus(JSON.stringify({ ...created, ...changes }), start);

  test("[CRW-042] absent keys are filled, and the author's time is kept", () => {
    const at = "2026-11-18T09:59:00Z";
    expect(made({ last_update: at })).toEqual({ ok: true, value: { ...emptyStatus(start), last_update: at } });
    expect(emptyStatus(start)).toMatchObject({ current_state: "INTAKE_LEAN", mode: "lean", retry_counts: {}, last_ci_result: "unknown" });
    expect(emptyStatus({ ...start, mode: "full" }).current_state).toBe("INTAKE");
    expect(statusSchema.safeParse(emptyStatus(start)).success).toBe(true);
  });

  test.each([
    { current_state: "INTAKE" },
    { session: "2026-11-18_other-run" },
    { assumptions: ["a"] },
    { known_issues: ["a"] },
    { user_decisions: [pending] },
    { mode: "full" },
    { retry_counts: { meta: {} } },
    { last_ci_result: "green" },
    { extra: 1 },
    { last_update: undefined },
    { assumptions: undefined },
  ])("[CRW-042] one that begins with %j is refused", (changes) => {
    expect(made(changes).ok).toBe(false);
  });

  test("text that is no object is refused", () => {
    for (const text of ["", "[]", "null", "7"]) expect(createdStatus(text, start).ok).toBe(false);
  });
});

describe("what agents change in it", () => {
  const before = sampleStatus({ current_state: "IMPLEMENT_LOOP", assumptions: ["a"], known_issues: ["k"], last_ci_result: "green" });
  const edit = (changes: object) => acceptStatusEdit(before, JSON.stringify({ ...before, ...changes }), "Coder");

  test("[CRW-043] assumptions and known_issues may grow and be reworded", () => {
    expect(edit({ assumptions: ["a, in UTC", "b"], known_issues: ["k", "l"] })).toEqual({
      next: { ...before, assumptions: ["a, in UTC", "b"], known_issues: ["k", "l"] },
      violations: [],
    });
  });

  test.each([
    ["current_state", "DONE"],
    ["session", "2026-11-18_other-run"],
    ["mode", "lean"],
    ["blocker", "bored"],
    ["user_decisions", [pending]],
    ["gate_tracking", {}],
    ["runtime_flags", { copilot_instructions_exists: false, copilot_checked_at: AT }],
    ["retry_counts", { meta: { FIX_BUILD: 0 } }],
    ["last_ci_result", "red"],
    ["last_update", "2030-01-01T00:00:00Z"],
    ["tasks", []],
  ])("[CRW-043] an edit of %s is discarded and recorded, the rest counts", (field, value) => {
    const { next, violations } = edit({ [field]: value, assumptions: ["a", "b"] });
    expect(next).toEqual({ ...before, assumptions: ["a", "b"] });
    expect(violations).toEqual([expect.stringContaining(`Coder changed ${field} `)]);
  });

  test("[CRW-043] entries cannot be removed, nor the lists or the file", () => {
    for (const changes of [{ assumptions: [] }, { known_issues: "none" }, { known_issues: undefined }]) {
      expect(edit(changes).next).toEqual(before);
      expect(edit(changes).violations).toHaveLength(1);
    }
    for (const text of [null, "{", "[]", "null"]) {
      const edited = acceptStatusEdit(before, text, "Docs");
      expect([edited.next, edited.violations.length]).toEqual([before, 1]);
    }
  });

  test("[CRW-043] whatever an agent leaves, nothing but the two lists differs", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(before), "x", "blocker"), fc.jsonValue()), (changes) => {
        const { next } = edit(changes);
        expect({ ...next, assumptions: [], known_issues: [] }).toEqual({ ...before, assumptions: [], known_issues: [] });
        expect(statusSchema.safeParse(next).success).toBe(true);
      }),
    );
  });
});
