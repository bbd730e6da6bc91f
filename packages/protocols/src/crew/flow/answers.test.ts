import { describe, expect, test } from "vitest";
import { finding } from "./testing/artifacts.ts";
import { securityQuestion } from "../decisions/security.ts";
import type { CrewFinding } from "../contract/artifacts.ts";
import { output } from "../contract/testing/samples.ts";
import { MAX_REPAIRS, withRepairs } from "../session/status.ts";
import { sampleStatus } from "../session/testing/samples.ts";
import { takeReviewAnswers } from "./answers.ts";
import { author } from "./authors.ts";
import { GATES_STEP, type BuildRun } from "./ci.ts";
import { afterCoder } from "./coder.ts";
import { attemptsKey } from "./orders.ts";
import { passOf, type AskedAbout } from "./progress.ts";
import { negative, repair } from "./repair.ts";
import { REVIEW_MARK } from "./review.ts";
import { afterQuestion, answered, cancelled, memorySession } from "./testing/memory-session.ts";

const note = (text: string) => `${REVIEW_MARK}minor in src/a.ts:1: ${text} Suggested: Do. Answer fix or leave.`;
const NOTES: AskedAbout = { kind: "review_notes", taskId: "T-001" };

describe("the notes of a review", () => {
  test.each(["leave", "No, thanks.", " LATER ", "skip", "none of it"])(
    "answered with %j stay: nobody changes code for them",
    async (word) => {
      const { session } = afterQuestion(NOTES, [answered(word, { question: note("Name it.") })]);
      expect(await takeReviewAnswers(session)).toBe(true);
      expect(session.state()).toBe("IMPLEMENT_LOOP");
      expect(session.status()?.known_issues).toEqual(["minor in src/a.ts:1: Name it. Suggested: Do."]);
    },
  );

  test("that are all to be repaired leave no known issue behind", async () => {
    const { session, saved } = afterQuestion(NOTES, [answered("fix, as nothing else", { question: note("Name it.") })]);
    expect(await takeReviewAnswers(session)).toBe(true);
    expect([session.state(), session.status()?.known_issues, saved.length]).toEqual(["FIX_REVIEW", [], 1]);
    expect(session.progress.repair?.findings).toEqual(["minor in src/a.ts:1: Name it. Suggested: Do. (fix, as nothing else)"]);
  });

  test("are acted on once: a second look at the same answers does nothing", async () => {
    const { session } = afterQuestion(NOTES, [answered("fix", { question: note("Name it.") })]);
    await takeReviewAnswers(session);
    expect(await takeReviewAnswers(session)).toBe(false);
  });
});

describe("the medium findings of Security", () => {
  const about: AskedAbout = { kind: "security", taskId: "T-001" };
  const question = (description: string) => securityQuestion(finding("medium", description) as CrewFinding);

  test("that are all fixed now leave the gate undecided", async () => {
    const { session } = afterQuestion(about, [answered("fix-now", { question: question("No check.") })]);
    passOf(session.progress, "T-001").results.Security = {
      status: "NEEDS_DECISION",
      meetsDefinitionOfDone: true,
      decided: false,
      waived: false,
    };
    expect(await takeReviewAnswers(session)).toBe(true);
    expect([session.state(), session.status()?.known_issues]).toEqual(["FIX_SECURITY", []]);
    expect(passOf(session.progress, "T-001").results.Security).toMatchObject({ decided: false });
  });

  test("decide no gate that has not spoken", async () => {
    const { session } = afterQuestion(about, [cancelled("not this year", { question: question("No check.") })]);
    expect(await takeReviewAnswers(session)).toBe(true);
    expect(passOf(session.progress, "T-001").results).toEqual({});
    expect(session.status()?.known_issues.join()).toContain("not this year");
  });
});

describe("what a person says to a question of an author or of research", () => {
  test.each([{ kind: "signals", role: "Architect" }, { kind: "research" }] as const)("binds every later dispatch: %j", async (about) => {
    const { session } = afterQuestion(about, [answered("two letters"), cancelled("do not care", { decision_id: "UD-2" })]);
    expect(await takeReviewAnswers(session)).toBe(false);
    expect(session.progress.constraints).toEqual(["UD-1: ? — the user decided: two letters", "UD-2: ? — no decision (do not care)"]);
  });
});

test("an author whose output stands is not called again, and its state goes on", async () => {
  const { session, saved } = memorySession({ state: "DESIGN" });
  session.progress.done.add("Architect");
  expect(await author(session, "Architect", "the architecture")).toBe(true);
  expect(saved).toEqual([]);
});

test.each([
  ["IMPLEMENT_LOOP", "ASK_USER", ["[scope_growth] Coder: it needs a format"]],
  ["FIX_REVIEW", "FIX_REVIEW", []],
] as const)("what Coder leaves to the user in %s leads to %s: only the loop over the tasks can ask", async (state, after, questions) => {
  const { session } = memorySession({ state });
  const notes = ["design-spec: none", "signal: scope-growth: it needs a format"];
  await afterCoder(session, "T-001", { output: output("Coder", { notes }), changed: [], diff: "" });
  expect([session.state(), session.decisions().map(({ question }) => question)]).toEqual([after, questions]);
});

describe("a loop that is used up", () => {
  const review: AskedAbout = { kind: "exhausted", taskId: "T-001", loop: "FIX_REVIEW", gate: "Reviewer" };
  const build: AskedAbout = { kind: "exhausted", taskId: "meta", loop: "FIX_BUILD", gate: null };
  const red = (...failedSteps: string[]): BuildRun => ({ commands: [], gateFailure: null, failedSteps, text: "" });

  test.each([
    ["cancelled", [cancelled("no response provided")]],
    ["gone from status.json", []],
  ])("is neither waived nor repaired again where the decision is %s: the session waits for one", async (_what, decisions) => {
    const { session, saved } = afterQuestion(review, decisions);
    await expect(takeReviewAnswers(session)).rejects.toMatchObject({ blocker: "mandatory_user_decision_missing" });
    expect([saved, passOf(session.progress, "T-001").results]).toEqual([[], {}]);
  });

  test("accepted, waives the failed commands alone, by this decision, and the next build runs without them", async () => {
    const { session } = afterQuestion(build, [answered("Accept_with-known issues: ship it")], "INTEGRATE");
    session.progress.build = red("npm test", "npm run lint");
    expect(await takeReviewAnswers(session)).toBe(true);
    expect([...session.progress.waivedCommands]).toEqual([
      ["npm test", "UD-1"],
      ["npm run lint", "UD-1"],
    ]);
    expect(session.progress.build).toBeNull();
    expect(session.status()?.known_issues).toEqual(["FIX_BUILD of meta: accepted with known issues (UD-1): not repaired"]);
  });

  test("waives no command beside a gate of the repository that fails", async () => {
    const { session } = afterQuestion(build, [answered("accept with known issues")], "INTEGRATE");
    session.progress.build = red("npm test", GATES_STEP);
    await takeReviewAnswers(session);
    expect(session.progress.waivedCommands.size).toBe(0);
    expect([session.state(), session.progress.repair?.findings]).toEqual([
      "FIX_BUILD",
      ["The gates of the repository cannot be waived: make them pass."],
    ]);
  });

  test("takes any other words as guidance, and counts from one", async () => {
    const { session } = afterQuestion(review, [answered("Accept with known issues? Never.")]);
    await takeReviewAnswers(session);
    expect(session.progress.constraints).toEqual(["UD-1: Accept with known issues? Never."]);
    expect(session.status()?.retry_counts).toEqual({ "T-001": { FIX_REVIEW: 1 } });
    expect(passOf(session.progress, "T-001").results).toEqual({});
  });
});

describe("a negative verdict", () => {
  const used = withRepairs(sampleStatus(), "T-001", "FIX_REVIEW", MAX_REPAIRS);
  const verdict = { loop: "FIX_REVIEW", taskId: "T-001", gate: "Reviewer", findings: [] } as const;

  test("without status.json is not repaired: no repair would be counted", async () => {
    const { session } = memorySession({ status: null });
    await expect(negative(session, verdict)).rejects.toMatchObject({ blocker: "precondition_failed", message: "status.json is missing." });
    expect(session.progress.repair).toBeNull();
  });

  test("after the last repair goes to a person with what failed, even where no reason was given", async () => {
    const { session } = memorySession({ status: used });
    session.progress.attempts.set(attemptsKey("T-001", "FIX_REVIEW"), [{ tried: "A lock.", failed: "not yet known" }]);
    await negative(session, verdict);
    expect(session.state()).toBe("ASK_USER");
    expect(session.decisions()[0]?.question).toContain("1. Tried: A lock. Failed: no reason given");
  });

  test("that is a person's own wish is repaired although every repair is used up, and uses up none", async () => {
    const { session } = memorySession({ status: used });
    await negative(session, { ...verdict, findings: ["Say three."], isRequest: true });
    expect([session.state(), session.status()?.retry_counts]).toEqual(["FIX_REVIEW", used.retry_counts]);
  });

  test("a repair without one calls nobody", async () => {
    const { session } = memorySession({ state: "FIX_REVIEW" });
    await expect(repair(session)).rejects.toMatchObject({ blocker: "precondition_failed" });
  });
});
