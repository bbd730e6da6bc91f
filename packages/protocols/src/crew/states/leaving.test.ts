import { describe, expect, test } from "vitest";
import { openDecisions, openGate, resolveDecision } from "../decisions/change-decisions.ts";
import { APPROVE_DESIGN_ID, REVIEW_STRATEGY_ID, type UserDecision } from "../decisions/decision.ts";
import { parseTasks } from "../session/tasks.ts";
import { leanTasks } from "../session/testing/samples.ts";
import { doneProblems, leavingProblems, type SessionFacts } from "./leaving.ts";
import type { CrewState } from "./states.ts";

const AT = "2026-11-18T10:00:00Z";
const tasks = (status: string) => {
  const read = parseTasks(leanTasks({ status }), "lean");
  if (!read.ok) throw new Error(read.problems.join());
  return read.value;
};
const FILES = ["spec.md", "acceptance.json", "status.json", "tasks.yaml", "architecture.md", "README.md", "report.md"];
const gate = (id: "APPROVE_DESIGN" | "REVIEW_STRATEGY", answer: string): UserDecision[] =>
  resolveDecision(
    openGate([], id, "?", AT),
    id === "APPROVE_DESIGN" ? APPROVE_DESIGN_ID : REVIEW_STRATEGY_ID,
    { status: "answered", answer },
    AT,
  );
const DECISIONS = [...gate("APPROVE_DESIGN", "approved"), ...gate("REVIEW_STRATEGY", "per-batch")];

const READY: SessionFacts = {
  mode: "full",
  decisions: DECISIONS,
  verified: new Set([APPROVE_DESIGN_ID, REVIEW_STRATEGY_ID]),
  artifacts: Object.fromEntries(FILES.map((name) => [name, []])),
  tasks: { ...tasks("completed"), tasks: tasks("completed").tasks.map((task) => ({ ...task, done_when: ["it works"] })) },
  risks: ["time zones"],
  research: { requested: true, files: ["research/research-a.md"] },
  design: { involvesUi: true, files: ["design-specs/design-spec-a.md"] },
  finalReview: "passed",
  missingRoles: [],
  commands: [{ command: "npm test", exitCode: 0 }],
  ci: { exists: true, result: "green" },
  releasedBy: ["Docs", "Integrator"],
  readmeIsCurrent: true,
  criteria: [{ id: "AC-001", met: true, waivedBy: null }],
  repaired: true,
};

const leaving = (state: CrewState, changes: Partial<SessionFacts> = {}) => leavingProblems(state, { ...READY, ...changes });
const without = (name: string) => ({ artifacts: Object.fromEntries(FILES.filter((each) => each !== name).map((each) => [each, []])) });
const broken = (name: string) => ({ artifacts: { ...READY.artifacts, [name]: [`${name}: broken`] } });

test.each([
  "INTAKE",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "ASK_USER",
  "FIX_REVIEW",
] as const)("%s is left when it has what it needs", (state) => {
  expect(leaving(state)).toEqual([]);
});

describe("each need on its own", () => {
  test.each(["spec.md", "acceptance.json", "status.json"])("[CRW-084] INTAKE and INTAKE_LEAN need a valid %s", (name) => {
    const started = { tasks: tasks("not-started") };
    for (const state of ["INTAKE", "INTAKE_LEAN"] as const) {
      expect(leaving(state, { ...started, ...without(name) })).toEqual([`${name}: missing`]);
      expect(leaving(state, { ...started, ...broken(name) })).toEqual([`${name}: broken`]);
    }
  });

  test("[CRW-084] INTAKE_LEAN needs exactly one task, not started", () => {
    expect(leaving("INTAKE_LEAN", { tasks: tasks("not-started") })).toEqual([]);
    expect(leaving("INTAKE_LEAN", { tasks: tasks("in-progress") })).toHaveLength(1);
    expect(leaving("INTAKE_LEAN", { tasks: null })).toHaveLength(1);
    const [task] = tasks("not-started").tasks;
    expect(leaving("INTAKE_LEAN", { tasks: { tasks: [task!, { ...task!, id: "T-002" }] } })).toHaveLength(1);
    expect(leaving("INTAKE_LEAN", { tasks: tasks("not-started"), ...without("tasks.yaml") })).toHaveLength(1);
  });

  test("[CRW-085] DESIGN needs the architecture, risks, research if requested and a design-spec if there is UI", () => {
    expect(leaving("DESIGN", broken("architecture.md"))).toHaveLength(1);
    expect(leaving("DESIGN", { risks: [] })).toHaveLength(1);
    expect(leaving("DESIGN", { research: { requested: true, files: [] } })).toHaveLength(1);
    expect(leaving("DESIGN", { research: { requested: false, files: [] } })).toEqual([]);
    expect(leaving("DESIGN", { design: { involvesUi: true, files: [] } })).toHaveLength(1);
    expect(leaving("DESIGN", { design: { involvesUi: false, files: [] } })).toEqual([]);
  });

  test("[CRW-087][CRW-062] APPROVE_DESIGN needs an answer that begins with approved", () => {
    expect(leaving("APPROVE_DESIGN", { decisions: gate("APPROVE_DESIGN", "approved: fine") })).toEqual([]);
    expect(leaving("APPROVE_DESIGN", { decisions: gate("APPROVE_DESIGN", "changes-requested: names") })).toHaveLength(1);
    expect(leaving("APPROVE_DESIGN", { decisions: [] })).toHaveLength(1);
  });

  test("[CRW-061] a skipped or cancelled decision opens no gate", () => {
    for (const status of ["skipped", "cancelled"] as const) {
      const decisions = resolveDecision(openGate([], "APPROVE_DESIGN", "?", AT), APPROVE_DESIGN_ID, { status, reason: "r" }, AT);
      expect(leaving("APPROVE_DESIGN", { decisions })).toHaveLength(1);
    }
  });

  test("[CRW-088] PLAN needs checks and done_when of every task; lean tasks need no done_when", () => {
    const [task] = READY.tasks!.tasks;
    const of = (changes: object) => ({ tasks: { tasks: [{ ...task!, ...changes }] } });
    expect(leaving("PLAN", of({ done_when: [] }))).toHaveLength(1);
    expect(leaving("PLAN", of({ acceptance_checks: [] }))).toHaveLength(1);
    expect(leaving("PLAN", { ...of({ done_when: [] }), mode: "lean" })).toEqual([]);
    expect(leaving("PLAN", without("tasks.yaml"))).toEqual(["tasks.yaml: missing"]);
  });

  test("[CRW-073] REVIEW_STRATEGY is left with a canonical answer only", () => {
    expect(leaving("REVIEW_STRATEGY", { decisions: gate("REVIEW_STRATEGY", "batch") })).toHaveLength(1);
    expect(leaving("REVIEW_STRATEGY", { decisions: gate("REVIEW_STRATEGY", "single-final") })).toEqual([]);
  });

  test.each(["ASK_USER", "APPROVE_DESIGN", "REVIEW_STRATEGY"] as const)(
    "[CRW-070] %s is not left while a decision is pending or unverified",
    (state) => {
      const { decisions } = openDecisions(DECISIONS, ["Which?"], { at: AT, stateContext: "PLAN" });
      expect(leaving(state, { decisions })).toEqual(["UD-1 is pending"]);
      expect(leaving(state, { verified: new Set([APPROVE_DESIGN_ID]) })).toEqual([`${REVIEW_STRATEGY_ID} is not verified on disk`]);
    },
  );

  test("[CRW-092][CRW-099] IMPLEMENT_LOOP needs completed tasks, the final review and every role", () => {
    expect(leaving("IMPLEMENT_LOOP", { tasks: tasks("implemented") })).toEqual(["tasks.yaml: T-001 is implemented"]);
    expect(leaving("IMPLEMENT_LOOP", { tasks: null })).toHaveLength(1);
    expect(leaving("IMPLEMENT_LOOP", { finalReview: "open" })).toHaveLength(1);
    expect(leaving("IMPLEMENT_LOOP", { finalReview: "not_needed" })).toEqual([]);
    expect(leaving("IMPLEMENT_LOOP", { missingRoles: ["QA"] })).toHaveLength(1);
  });

  test("[CRW-095] INTEGRATE needs green CI if there is one, and every command at exit 0", () => {
    expect(leaving("INTEGRATE", { commands: [{ command: "npm test", exitCode: 1 }] })).toHaveLength(1);
    expect(leaving("INTEGRATE", { commands: [{ command: "npm test", exitCode: null }] })).toHaveLength(1);
    expect(leaving("INTEGRATE", { ci: { exists: true, result: "unknown" } })).toEqual(["CI is unknown"]);
    expect(leaving("INTEGRATE", { ci: { exists: false, result: "unknown" } })).toEqual([]);
  });

  test("[CRW-096] RELEASE needs Docs, then Integrator, a current README, the report, all criteria and no red CI", () => {
    expect(leaving("RELEASE", { releasedBy: ["Docs"] })).toHaveLength(1);
    expect(leaving("RELEASE", { releasedBy: ["Integrator", "Docs"] })).toHaveLength(1);
    expect(leaving("RELEASE", { releasedBy: ["Integrator"] })).toEqual(["Docs has not run in RELEASE"]);
    expect(leaving("RELEASE", { readmeIsCurrent: false })).toHaveLength(1);
    expect(leaving("RELEASE", without("README.md"))).toHaveLength(1);
    expect(leaving("RELEASE", broken("report.md"))).toHaveLength(1);
    expect(leaving("RELEASE", { ci: { exists: true, result: "red" } })).toEqual(["CI is red"]);
    expect(leaving("RELEASE", { criteria: [{ id: "AC-001", met: false, waivedBy: null }] })).toEqual(["AC-001 is not met"]);
  });

  test("a repair state is left when the repair is on record", () => {
    for (const state of ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"] as const)
      expect(leaving(state, { repaired: false })).toHaveLength(1);
  });
});

describe("DONE", () => {
  const done = (changes: Partial<SessionFacts> = {}) => doneProblems({ ...READY, ...changes });
  const unmet = (waivedBy: string | null) => ({ criteria: [{ id: "AC-001", met: false, waivedBy }] });

  test("[CRW-097] needs criteria, tasks, decisions, CI and the report", () => {
    expect(done()).toEqual([]);
    expect(done(unmet(null))).toEqual(["AC-001 is not met"]);
    expect(done({ criteria: [] })).toHaveLength(1);
    expect(done({ tasks: tasks("implemented") })).toHaveLength(1);
    expect(done({ ci: { exists: true, result: "unknown" } })).toHaveLength(1);
    expect(done({ ci: { exists: false, result: "unknown" } })).toEqual([]);
    expect(done(broken("report.md"))).toHaveLength(1);
    expect(done({ decisions: openDecisions(DECISIONS, ["?"], { at: AT, stateContext: "PLAN" }).decisions })).toEqual(["UD-1 is pending"]);
  });

  test("[CRW-097] a waiver counts as an answered decision only", () => {
    const { decisions } = openDecisions(DECISIONS, ["Waive AC-001?"], { at: AT, stateContext: "IMPLEMENT_LOOP" });
    const resolved = (status: "answered" | "cancelled") =>
      resolveDecision(decisions, "UD-1", status === "answered" ? { status, answer: "yes" } : { status, reason: "later" }, AT);
    expect(done({ ...unmet("UD-1"), decisions: resolved("answered") })).toEqual([]);
    expect(done({ ...unmet("UD-1"), decisions: resolved("cancelled") })).toEqual(["AC-001 is not met"]);
    expect(done(unmet("UD-9"))).toEqual(["AC-001 is not met"]);
  });
});
