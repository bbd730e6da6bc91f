import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DISPATCHED_ROLES } from "../contract/names.ts";
import { output } from "../contract/testing/samples.ts";
import { sampleStatus } from "../session/testing/samples.ts";
import { TASK_STATUSES } from "../session/tasks.ts";
import { afterFailedDispatch } from "./dispatch-attempts.ts";
import { finalText } from "./final-text.ts";
import { outgrown } from "./lean.ts";
import { reactionTo } from "./reactions.ts";
import { exhaustedAnswer, exhaustedQuestion, LOOP_OF, nextRepair, repairRole } from "./repairs.ts";
import {
  mayComplete,
  mayDispatch,
  missingGates,
  missingRoles,
  neededGates,
  nextGate,
  passed,
  touchesSecurity,
  type ReviewResult,
  type ReviewedWork,
} from "./review-gates.ts";
import { isCrossCutting, mayReview, readyTasks, recommendStrategy, strategyIn, strategyQuestion } from "./strategy.ts";

describe("lean mode", () => {
  test("[CRW-101] is left when Coder says so or more than 3 files changed", () => {
    expect(outgrown(["a", "b", "c"], [])).toBeNull();
    expect(outgrown(["a", "b", "c", "d"], [])).toContain("4 files");
    expect(outgrown([], ["needs a schema change"])).toBe("needs a schema change");
  });
});

const task = (
  id: string,
  depends_on: readonly string[] = [],
  status: (typeof TASK_STATUSES)[number] = "not-started",
  risk_flags: readonly "security"[] = [],
) => ({
  id,
  depends_on: [...depends_on],
  status,
  risk_flags: [...risk_flags] as ("security" | "perf" | "breaking-change" | "none")[],
  goal: `Goal of ${id}`,
});

describe("the review strategy", () => {
  test("[CRW-089] per-batch for 5 tasks, cross-cutting dependencies or high risk, else single-final", () => {
    const many = ["T-001", "T-002", "T-003", "T-004", "T-005"].map((id) => task(id));
    expect([recommendStrategy(many).strategy, recommendStrategy(many.slice(1)).strategy]).toEqual(["per-batch", "single-final"]);
    expect(recommendStrategy([task("T-001"), task("T-002", ["T-001"]), task("T-003", ["T-001"])]).strategy).toBe("per-batch");
    expect(isCrossCutting([task("T-001"), task("T-002"), task("T-003", ["T-001", "T-002"])])).toBe(true);
    expect(recommendStrategy([task("T-001"), task("T-002", ["T-001"])]).strategy).toBe("single-final");
    const flagged = (flag: "security" | "perf" | "breaking-change" | "none") =>
      recommendStrategy([{ ...task("T-001"), risk_flags: [flag] }]).strategy;
    expect([flagged("security"), flagged("breaking-change"), flagged("perf"), flagged("none")]).toEqual([
      "per-batch",
      "per-batch",
      "single-final",
      "single-final",
    ]);
  });

  test("[CRW-089] the question shows the count, the scope, both strategies and the recommendation", () => {
    const question = strategyQuestion([task("T-001"), { ...task("T-002"), title: "Two" }]);
    for (const text of ["2 tasks", "T-001 Goal of T-001", "T-002 Two", "per-batch:", "single-final:", "Recommended: single-final"])
      expect(question).toContain(text);
    expect(strategyQuestion([task("T-001")])).toContain("1 task:");
  });

  test("[CRW-090] lean mode reviews each task", () => {
    expect([strategyIn("lean", null), strategyIn("full", "single-final"), strategyIn("full", null)]).toEqual([
      "per-batch",
      "single-final",
      null,
    ]);
  });

  const status = fc.constantFrom(...TASK_STATUSES);
  test("[CRW-090][CRW-091] ready means that every dependency is completed, or under single-final implemented", () => {
    fc.assert(
      fc.property(fc.array(status, { minLength: 3, maxLength: 3 }), fc.constantFrom("per-batch", "single-final"), ([a, b, c], strategy) => {
        const tasks = [task("T-001", [], a), task("T-002", ["T-001"], b), task("T-003", ["T-001", "T-002"], c)];
        const done = (each: string | undefined) => each === "completed" || (strategy === "single-final" && each === "implemented");
        const begins = (each: string | undefined) => each === "not-started" || each === "in-progress";
        const expected = [
          ...(begins(a) ? ["T-001"] : []),
          ...(begins(b) && done(a) ? ["T-002"] : []),
          ...(begins(c) && done(a) && done(b) ? ["T-003"] : []),
        ];
        expect(readyTasks(tasks, strategy).map(({ id }) => id)).toEqual(expected);
        const allBuilt = [a, b, c].every((each) => each === "implemented" || each === "completed");
        expect(mayReview(tasks, strategy)).toBe(strategy === "per-batch" || allBuilt);
      }),
    );
  });
});

describe("gates of a task", () => {
  const quiet: ReviewedWork = {
    changed: ["docs/a.md"],
    added: "",
    riskFlags: [],
    commands: [],
    gates: { needs_tests: false, security_concerns: [] },
  };
  const needed = (changes: Partial<ReviewedWork>) => neededGates({ ...quiet, ...changes });

  test("[CRW-090] Reviewer always, QA for behaviour or acceptance, Security for risk, auth, input or network", () => {
    expect(needed({})).toEqual(["Reviewer"]);
    expect(needed({ changed: ["src/price.ts"] })).toEqual(["Reviewer", "QA"]);
    expect(needed({ commands: ["npm test"] })).toEqual(["Reviewer", "QA"]);
    expect(needed({ riskFlags: ["security"] })).toEqual(["Reviewer", "Security"]);
    expect(needed({ changed: ["src/auth/session.ts"] })).toEqual(["Reviewer", "QA", "Security"]);
    for (const added of ["await fetch(url)", "const name = req.body.name;", "process.argv[2]", "if (password === given)"])
      expect([added, touchesSecurity({ changed: ["src/price.ts"], added })]).toEqual([added, true]);
    expect(touchesSecurity({ changed: ["src/price.ts"], added: "return a + b;" })).toBe(false);
    expect(touchesSecurity({ changed: ["docs/a.md"], added: "fetch(url)" })).toBe(false);
  });

  test("[CRW-018] Coder's needs_tests requires QA, and its security_concerns Security", () => {
    expect(needed({ gates: { needs_tests: true, security_concerns: [] } })).toEqual(["Reviewer", "QA"]);
    expect(needed({ gates: { needs_tests: false, security_concerns: ["token"] } })).toEqual(["Reviewer", "Security"]);
  });

  const ok: ReviewResult = { status: "OK", meetsDefinitionOfDone: true, decided: false, waived: false };

  test("[CRW-018][CRW-048] OK passes only with the definition of done; decisions and waivers pass", () => {
    expect(passed(ok)).toBe(true);
    expect(passed({ ...ok, meetsDefinitionOfDone: false })).toBe(false);
    expect([passed({ ...ok, status: "NEEDS_DECISION" }), passed({ ...ok, status: "NEEDS_DECISION", decided: true })]).toEqual([
      false,
      true,
    ]);
    expect([
      passed({ ...ok, status: "BLOCKED" }),
      passed({ ...ok, status: "BLOCKED", decided: true }),
      passed({ ...ok, status: "BLOCKED", waived: true }),
    ]).toEqual([false, false, true]);
  });

  test("[CRW-048] a task is completed from implemented, with every needed gate passed", () => {
    const gates = ["Reviewer", "QA"] as const;
    expect(mayComplete("implemented", gates, { Reviewer: ok, QA: ok })).toBe(true);
    expect(mayComplete("in-progress", gates, { Reviewer: ok, QA: ok })).toBe(false);
    expect(mayComplete("implemented", gates, { Reviewer: ok })).toBe(false);
    expect(mayComplete("implemented", gates, { Reviewer: ok, QA: { ...ok, status: "BLOCKED" } })).toBe(false);
    expect(mayComplete("implemented", [], {})).toBe(false);
    expect(nextGate(["Reviewer", "QA", "Security"], { Reviewer: ok })).toBe("QA");
    expect(nextGate(gates, { Reviewer: ok, QA: ok })).toBeNull();
  });
});

describe("roles of a session", () => {
  const none = { dispatched: [], behaviourChanged: false, touchesSecurity: false };

  test("[CRW-099] a full one needs nine, a lean one two to four", () => {
    expect(missingRoles("full", none)).toEqual([
      "SpecAgent",
      "Architect",
      "Planner",
      "Coder",
      "Reviewer",
      "QA",
      "Security",
      "Integrator",
      "Docs",
    ]);
    expect(missingRoles("full", { ...none, dispatched: DISPATCHED_ROLES })).toEqual([]);
    expect(missingRoles("lean", none)).toEqual(["Coder", "Reviewer"]);
    expect(missingRoles("lean", { ...none, behaviourChanged: true })).toEqual(["Coder", "Reviewer", "QA"]);
    expect(missingRoles("lean", { ...none, touchesSecurity: true })).toEqual(["Coder", "Reviewer", "Security"]);
  });

  test("[CRW-099] a lean one has none of six roles", () => {
    expect(DISPATCHED_ROLES.filter((role) => !mayDispatch("lean", role)).toSorted()).toEqual([
      "Architect",
      "Designer",
      "Docs",
      "Integrator",
      "Planner",
      "Researcher",
    ]);
    expect(DISPATCHED_ROLES.every((role) => mayDispatch("full", role))).toBe(true);
  });

  test("[CRW-099] gates that no task triggered run once before INTEGRATE", () => {
    expect(missingGates("full", { ...none, dispatched: ["Coder", "Reviewer"] })).toEqual(["QA", "Security"]);
    expect(missingGates("lean", { ...none, dispatched: ["Coder", "Reviewer"] })).toEqual([]);
  });
});

describe("repairs", () => {
  test("[CRW-093] each gate has its loop, each loop its role", () => {
    expect(LOOP_OF).toEqual({ Reviewer: "FIX_REVIEW", QA: "FIX_TESTS", Security: "FIX_SECURITY" });
    const by = (loop: Parameters<typeof repairRole>[0], changes: object = {}) =>
      repairRole(loop, { mode: "full", defectInTests: false, recommended: null, ...changes });
    expect([by("FIX_REVIEW"), by("FIX_SECURITY", { defectInTests: true })]).toEqual(["Coder", "Coder"]);
    expect([by("FIX_TESTS"), by("FIX_TESTS", { defectInTests: true })]).toEqual(["Coder", "QA"]);
    expect([by("FIX_BUILD"), by("FIX_BUILD", { recommended: "Coder" }), by("FIX_BUILD", { mode: "lean" })]).toEqual([
      "Integrator",
      "Coder",
      "Coder",
    ]);
  });

  test("[CRW-094] three repairs, then a question", () => {
    expect([0, 1, 2, 3].map(nextRepair)).toEqual([1, 2, 3, null]);
    const question = exhaustedQuestion("FIX_REVIEW", "T-001", [{ tried: "a guard.", failed: "still null." }]);
    for (const text of [
      "FIX_REVIEW of T-001",
      "a guard.",
      "still null.",
      "other approach, accept with known issues, simplify scope, user guidance",
    ])
      expect(question).toContain(text);
  });

  test("[CRW-094] accepting waives the gate, the others pass the user's text on as a constraint", () => {
    expect(exhaustedAnswer("Accept with known issues")).toEqual({ waives: true, constraint: null });
    expect(exhaustedAnswer("other approach: use a map: by id")).toEqual({ waives: false, constraint: "use a map: by id" });
    expect(exhaustedAnswer("simplify-scope")).toEqual({ waives: false, constraint: "The user chose: simplify scope." });
    expect(exhaustedAnswer("Leave null out")).toEqual({ waives: false, constraint: "Leave null out" });
  });

  test("[CRW-021] a failed dispatch is repeated twice, then blocks with its error", () => {
    expect([1, 2].map((attempt) => afterFailedDispatch("Coder", attempt, "timeout"))).toEqual([
      { kind: "repeat", attempt: 2 },
      { kind: "repeat", attempt: 3 },
    ]);
    expect(afterFailedDispatch("Coder", 3, "timeout")).toEqual({
      kind: "blocked",
      blocker: "subagent_failure",
      detail: "Coder failed 3 times; last: timeout",
    });
  });
});

describe("what an output leads to", () => {
  const of = (role: (typeof DISPATCHED_ROLES)[number], status: string, askedBefore = false) =>
    reactionTo(role, output(role, { notes: ["no data"] }, { status, summary: "It stops." }), askedBefore);

  test("[CRW-023] BLOCKED of a review gate is repaired, of any other role it blocks, and FAIL always", () => {
    for (const role of DISPATCHED_ROLES) {
      const loop = role === "Reviewer" || role === "QA" || role === "Security" ? LOOP_OF[role] : null;
      expect([role, of(role, "BLOCKED")]).toEqual([
        role,
        loop === null ? { kind: "blocked", blocker: "agent_blocked", detail: "It stops. no data" } : { kind: "repair", loop },
      ]);
      expect(of(role, "FAIL")).toEqual({ kind: "blocked", blocker: "agent_failed", detail: "It stops. no data" });
      expect(of(role, "OK")).toEqual({ kind: "go_on" });
    }
  });

  test("[CRW-024] NEEDS_INFO asks once, then blocks", () => {
    expect(of("Researcher", "NEEDS_INFO")).toEqual({ kind: "ask", about: "research_questions" });
    expect(of("Researcher", "NEEDS_INFO", true).kind).toBe("blocked");
    expect(reactionTo("Researcher", output("Researcher", {}, { status: "NEEDS_INFO" })).kind).toBe("ask");
  });

  test("[CRW-059][CRW-114] NEEDS_DECISION and PASS WITH NOTES ask", () => {
    expect(of("Security", "NEEDS_DECISION")).toEqual({ kind: "ask", about: "security_decision" });
    const comment = { severity: "major", category: "Logic", file: "a", line: 1, message: "m", suggested_fix: "f" };
    expect(reactionTo("Reviewer", output("Reviewer", { review_comments: [comment] }))).toEqual({ kind: "ask", about: "review_notes" });
  });

  test("[CRW-019] a recommendation changes nothing", () => {
    for (const recommended_agent of ["Docs", "Orchestrator"]) {
      const next = { recommended_agent, recommended_task_id: "meta", reason: "r" };
      expect(reactionTo("Coder", output("Coder", {}, { next }))).toEqual({ kind: "go_on" });
    }
  });
});

describe("the final text", () => {
  test("[CRW-002] at DONE: the outcome, artifacts, commands and known issues", () => {
    const text = finalText({
      status: sampleStatus({ current_state: "DONE", known_issues: ["slow"] }),
      artifacts: ["report.md"],
      commands: ["npm test"],
      workaround: null,
    });
    for (const part of ["is done", ".slipway/runs/2026-11-18_date-format/report.md", "npm test", "slow"]) expect(text).toContain(part);
    expect(text).not.toContain("blocked");
  });

  test("[CRW-002][CRW-069] at BLOCKED: the blocker, a workaround and what could not be saved", () => {
    const status = sampleStatus({
      current_state: "BLOCKED",
      blocker: "persistence_failure",
      known_issues: ["slow", "persistence_failure: disk full"],
    });
    const text = finalText({ status, artifacts: [], commands: [], workaround: "Free some space.", unsaved: { "UD-1": "yes" } });
    for (const part of ["blocked: persistence_failure", "persistence_failure: disk full", "Free some space.", "UD-1: yes", "- slow"])
      expect(text).toContain(part);
    expect(finalText({ status, artifacts: [], commands: [], workaround: null })).toContain("What you can do:");
  });
});
