import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AT, sampleStatus } from "../session/testing/samples.ts";
import { statusSchema } from "../session/status.ts";
import { NO_RESPONSE, takeAnswers } from "./answers.ts";
import { nextDecisionNumber, openDecisions, openGate, resolveDecision } from "./change-decisions.ts";
import {
  APPROVE_DESIGN_ID,
  DECISION_STATUSES,
  decisionSchema,
  decisionsSchema,
  findDecision,
  pendingDecisions,
  type UserDecision,
} from "./decision.ts";
import { isSecurityDecision, securityOption, securityOutcome, securityQuestion } from "./security.ts";

const LATER = "2026-11-18T11:00:00.000Z";
const ask = (...questions: string[]) => openDecisions([], questions, { at: AT, stateContext: "DESIGN" }).decisions;
const statusOf = (decisions: readonly UserDecision[], id: string) => findDecision(decisions, id)?.status;

describe("the form of a decision", () => {
  const fields = { decision_id: "UD-1", question: "Which?", asked_at: AT, state_context: "PLAN" };
  const isValid = (changes: object) => decisionSchema.safeParse({ ...fields, ...changes }).success;
  const open = { status: "pending", answer: null, resolved_at: null, resolution_reason: null };
  const answered = { status: "answered", answer: "A", resolved_at: AT, resolution_reason: null };
  const ended = (status: string) => ({ status, answer: null, resolved_at: AT, resolution_reason: "moot" });

  test("[CRW-056] what is null and what is filled follows from the status", () => {
    expect(DECISION_STATUSES).toEqual(["pending", "answered", "cancelled", "skipped"]);
    for (const valid of [
      open,
      answered,
      { ...answered, resolution_reason: "said" },
      ended("cancelled"),
      ended("skipped"),
      { ...ended("skipped"), answer: "A" },
    ])
      expect([valid, isValid(valid)]).toEqual([valid, true]);
    for (const invalid of [
      { ...open, answer: "A" },
      { ...open, resolved_at: AT },
      { ...open, resolution_reason: "r" },
      { ...answered, answer: " " },
      { ...answered, answer: null },
      { ...answered, resolved_at: null },
      { ...ended("cancelled"), resolution_reason: "" },
      { ...ended("cancelled"), resolution_reason: null },
      { ...ended("skipped"), resolved_at: null },
      { ...open, status: "open" },
    ])
      expect([invalid, isValid(invalid)]).toEqual([invalid, false]);
  });

  test("[CRW-056] a status.json with a broken decision cannot be written", () => {
    expect(statusSchema.safeParse(sampleStatus({ user_decisions: [{ ...fields, ...open, answer: "A" } as never] })).success).toBe(false);
  });

  test("[CRW-054] ids are UD-<N> or a gate's, each once", () => {
    for (const id of ["UD-1", "UD-12", "UD-APPROVE-DESIGN", "UD-REVIEW-STRATEGY"]) expect(isValid({ ...open, decision_id: id })).toBe(true);
    for (const id of ["UD-0", "UD-01", "UD-OTHER", "1", "ud-1"]) expect(isValid({ ...open, decision_id: id })).toBe(false);
    expect(decisionsSchema.safeParse([...ask("a"), ...ask("b")]).success).toBe(false);
  });
});

describe("asking and resolving", () => {
  test("[CRW-053] each question has one entry, pending, before it is shown", () => {
    expect(openDecisions([], ["A?", "B?"], { at: AT, stateContext: "DESIGN" })).toEqual({
      opened: ["UD-1", "UD-2"],
      decisions: ["A?", "B?"].map((question, index) => ({
        decision_id: `UD-${index + 1}`,
        question,
        status: "pending",
        answer: null,
        asked_at: AT,
        state_context: "DESIGN",
        resolved_at: null,
        resolution_reason: null,
      })),
    });
  });

  test("[CRW-054] the next number is the highest plus 1, whatever the order and the gates", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 500 })), (numbers) => {
        const decisions = openGate(
          numbers.map((number) => ({ ...ask("?")[0]!, decision_id: `UD-${number}` })),
          "APPROVE_DESIGN",
          "?",
          AT,
        );
        const next = openDecisions(decisions, ["a", "b"], { at: AT, stateContext: "PLAN" });
        expect(next.opened).toEqual([`UD-${Math.max(0, ...numbers) + 1}`, `UD-${Math.max(0, ...numbers) + 2}`]);
        expect(decisionsSchema.safeParse(next.decisions).success).toBe(true);
        expect(nextDecisionNumber(next.decisions)).toBe(Math.max(0, ...numbers) + 3);
      }),
    );
  });

  test("[CRW-054] a gate that is asked again changes its entry in place", () => {
    const first = openGate(ask("A?"), "APPROVE_DESIGN", "Approve?", AT);
    const changed = resolveDecision(first, APPROVE_DESIGN_ID, { status: "answered", answer: "changes-requested: x" }, AT);
    const again = openGate(changed, "APPROVE_DESIGN", "Approve now?", LATER);
    expect(again.map(({ decision_id }) => decision_id)).toEqual(["UD-1", APPROVE_DESIGN_ID]);
    expect(findDecision(again, APPROVE_DESIGN_ID)).toMatchObject({
      status: "pending",
      answer: null,
      asked_at: LATER,
      question: "Approve now?",
    });
    expect(findDecision(again, APPROVE_DESIGN_ID)?.state_context).toBe("APPROVE_DESIGN");
    expect(openGate([], "REVIEW_STRATEGY", "?", AT)[0]).toMatchObject({
      decision_id: "UD-REVIEW-STRATEGY",
      state_context: "REVIEW_STRATEGY",
    });
  });

  test("[CRW-055] a response ends the same entry as answered, cancelled or skipped", () => {
    const decisions = ask("A?", "B?", "C?");
    const all = (["answered", "cancelled", "skipped"] as const).reduce<UserDecision[]>(
      (next, status, index) =>
        resolveDecision(next, `UD-${index + 1}`, status === "answered" ? { status, answer: "yes" } : { status, reason: "r" }, LATER),
      decisions,
    );
    expect(all.map(({ status, resolved_at }) => [status, resolved_at])).toEqual([
      ["answered", LATER],
      ["cancelled", LATER],
      ["skipped", LATER],
    ]);
    expect(all.map(({ asked_at }) => asked_at)).toEqual([AT, AT, AT]);
    expect(decisionsSchema.safeParse(all).success).toBe(true);
    expect(pendingDecisions(all)).toEqual([]);
  });

  test("[CRW-071] a resolved decision is not resolved again", () => {
    const done = resolveDecision(ask("A?"), "UD-1", { status: "answered", answer: "yes" }, AT);
    const code = expect.objectContaining({ code: "invalid_status_transition" });
    expect(() => resolveDecision(done, "UD-1", { status: "answered", answer: "no" }, AT)).toThrow(code);
    expect(() => resolveDecision(done, "UD-2", { status: "answered", answer: "no" }, AT)).toThrow("missing");
  });
});

const medium = { severity: "medium", category: "Auth", file: "a.ts", description: "No limit.", recommended_fix: "Add one." } as const;

describe("responses", () => {
  const take = (decisions: readonly UserDecision[], said: Record<string, string | null>, askedAgain: string[] = []) =>
    takeAnswers(decisions, {
      asked: pendingDecisions(decisions).map(({ decision_id }) => decision_id),
      said,
      at: LATER,
      askedAgain: new Set(askedAgain),
    });

  test("[CRW-057] of ordinary decisions, what is not answered is cancelled", () => {
    const { decisions, askAgain } = take(ask("A?", "B?", "C?"), { "UD-1": "yes", "UD-3": " " });
    expect(decisions.map(({ status, resolution_reason }) => [status, resolution_reason])).toEqual([
      ["answered", null],
      ["cancelled", "no response provided"],
      ["cancelled", NO_RESPONSE],
    ]);
    expect(askAgain).toEqual([]);
  });

  test("[CRW-055] an explicit deferral cancels, with the user's reason", () => {
    const { decisions } = take(ask("A?", "B?"), { "UD-1": "defer: next sprint", "UD-2": "Cancel" });
    expect(decisions.map(({ status, resolution_reason }) => [status, resolution_reason])).toEqual([
      ["cancelled", "user deferred: next sprint"],
      ["cancelled", "user declined: Cancel"],
    ]);
  });

  const security = ask("Which?", securityQuestion(medium), securityQuestion({ ...medium, file: "b.ts" }));

  test("[CRW-058] open security questions stay pending and are asked again, alone", () => {
    const first = take(security, { "UD-2": "fix-now" });
    expect(first.askAgain).toEqual(["UD-3"]);
    expect(first.decisions.map(({ status }) => status)).toEqual(["cancelled", "answered", "pending"]);
    expect(take(security, { "UD-2": "perhaps" }).askAgain).toEqual(["UD-2", "UD-3"]);
  });

  test("[CRW-058] one is declined only after it was asked again, in the user's terms", () => {
    const said = { "UD-1": "a", "UD-2": "defer: will address in next sprint", "UD-3": "accept-risk" };
    const first = take(security, said);
    expect([first.askAgain, statusOf(first.decisions, "UD-2")]).toEqual([["UD-2"], "pending"]);
    const second = take(first.decisions, said, ["UD-2"]);
    expect(second.askAgain).toEqual([]);
    expect(findDecision(second.decisions, "UD-2")).toMatchObject({
      status: "cancelled",
      resolution_reason: "user deferred: will address in next sprint",
    });
  });

  test("[CRW-058] no security decision is ever cancelled without a word of the user", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(null, "", "perhaps", "fix-now", "later"), { minLength: 3, maxLength: 3 }),
        fc.boolean(),
        (said, again) => {
          const words = Object.fromEntries(said.map((text, index) => [`UD-${index + 1}`, text]));
          const { decisions, askAgain } = take(security, words, again ? ["UD-2", "UD-3"] : []);
          for (const id of ["UD-2", "UD-3"]) {
            expect(statusOf(decisions, id) === "cancelled").toBe(words[id] === "later" && again);
            expect(askAgain.includes(id)).toBe(statusOf(decisions, id) === "pending");
          }
        },
      ),
    );
  });

  test("[CRW-059] one decision per finding with three options and their effects", () => {
    expect(security.map(isSecurityDecision)).toEqual([false, true, true]);
    expect(securityQuestion(medium)).toMatch(/a\.ts.*No limit.*Add one.*fix-now, fix-later, accept-risk/);
    expect([securityOption("Fix now"), securityOption("accept_risk"), securityOption("no")]).toEqual(["fix-now", "accept-risk", null]);
    const of = (first: string, second: string, again: string[] = []) => {
      const { fix, issues, open } = securityOutcome(take(security, { "UD-1": "a", "UD-2": first, "UD-3": second }, again).decisions);
      return [fix.map(({ decision_id }) => decision_id), issues, open.map(({ decision_id }) => decision_id)];
    };
    expect(of("fix-now", "fix-later")).toEqual([["UD-2"], ["Auth in b.ts: No limit. Recommended: Add one. (fix-later)"], []]);
    expect(of("accept-risk", "fix-now")[1]).toEqual([expect.stringContaining("(accept-risk)")]);
    expect(of("defer: in May", "fix-later", ["UD-2"])[1]).toEqual([
      expect.stringContaining("(user deferred: in May)"),
      expect.stringContaining("b.ts"),
    ]);
    expect(of("", "fix-later")[2]).toEqual(["UD-2"]);
  });
});
