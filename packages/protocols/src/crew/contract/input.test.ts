import { describe, expect, test } from "vitest";
import { CREW_AGENTS, CREW_ROLES } from "../agents.ts";
import { parseDispatchInput } from "./input.ts";
import { commandsIn, definitionName, DISPATCHED_ROLES, dispatchedRoleSchema, PROJECT_TYPES, roleNameSchema } from "./names.ts";
import { sampleInput } from "./testing/samples.ts";

const problems = (role: (typeof DISPATCHED_ROLES)[number], changes: object, state: "IMPLEMENT_LOOP" | "INTAKE_LEAN" = "IMPLEMENT_LOOP") => {
  const read = parseDispatchInput(role, state, sampleInput(role, changes as Record<string, unknown>));
  return read.ok ? [] : read.problems.map((text) => text.split(":")[0]);
};

describe("names", () => {
  test("[CRW-004] twelve names, case-sensitive, with kebab-case names of their definition files", () => {
    const names = "SpecAgent Architect Planner Designer Researcher Coder Reviewer QA Security Integrator Docs Orchestrator".split(" ");
    expect([...CREW_ROLES]).toEqual(names);
    for (const name of names) expect(roleNameSchema.safeParse(name).success).toBe(true);
    for (const name of ["coder", "QAgent", "Qa", "spec-agent", ""]) expect(roleNameSchema.safeParse(name).success).toBe(false);
    expect(CREW_ROLES.map(definitionName)).toEqual(
      "spec-agent architect planner designer researcher coder reviewer qa security integrator docs orchestrator".split(" "),
    );
  });

  test("[CRW-004] Orchestrator is recommended and never dispatched", () => {
    expect(dispatchedRoleSchema.safeParse("Orchestrator").success).toBe(false);
    expect(DISPATCHED_ROLES).toHaveLength(11);
  });

  test("commands among checks come without their prefix", () => {
    expect(commandsIn(["cmd: npm test", "manual: look", "cmd:make"])).toEqual(["npm test", "make"]);
  });
});

describe("the universal input", () => {
  test.each(DISPATCHED_ROLES)("a complete one for %s is taken", (role) => {
    expect(problems(role, {})).toEqual([]);
  });

  test.each(["task", "project_type", "repo_state", "tools_available", "artifact_list"])("[CRW-005] %s must be there", (field) => {
    expect(parseDispatchInput("Coder", "IMPLEMENT_LOOP", { ...sampleInput("Coder"), [field]: undefined }).ok).toBe(false);
  });

  test("[CRW-005] an unknown field is refused", () => {
    expect(problems("Coder", { extra: 1 })).toEqual(["/extra"]);
    expect(problems("Coder", { task: { extra: 1 } })).toEqual(["/task/extra"]);
  });

  test.each(["", "T-1", "T-01", "t-001", "T-001a", "Meta", "UD-1"])("[CRW-006] the task id %j is refused", (id) => {
    expect(problems("Coder", { task: { id } })).toEqual(["/task/id"]);
  });

  test("[CRW-006] meta and ids with three digits or more are taken; title and goal are not empty", () => {
    expect([...problems("Coder", { task: { id: "meta" } }), ...problems("Coder", { task: { id: "T-1234" } })]).toEqual([]);
    expect(problems("Coder", { task: { title: " ", goal: "" } })).toEqual(["/task/title", "/task/goal"]);
    expect(problems("Coder", { task: { constraints: [1] } })).toEqual(["/task/constraints/0"]);
  });

  test("[CRW-007] checks begin with cmd: or manual:", () => {
    expect(problems("Coder", { task: { acceptance_checks: ["cmd: x", "manual: look", "npm test", "cmd:"] } })).toEqual([
      "/task/acceptance_checks/2",
      "/task/acceptance_checks/3",
    ]);
  });

  test("[CRW-007] `none` stands alone among risk flags, and an empty list is the same", () => {
    for (const flags of [[], ["none"], ["security", "perf", "breaking-change"]])
      expect(problems("Coder", { task: { risk_flags: flags } })).toEqual([]);
    for (const flags of [["none", "perf"], ["danger"]]) expect(problems("Coder", { task: { risk_flags: flags } })).toHaveLength(1);
  });

  test("[CRW-008] five types of projects", () => {
    expect(PROJECT_TYPES).toEqual(["web", "api", "cli", "lib", "mixed"]);
    expect(problems("Coder", { project_type: "game" })).toEqual(["/project_type"]);
  });

  test("[CRW-009] a failed step is named exactly while CI is red", () => {
    const state = (ci_status: string, last_failed_step: string | null) =>
      problems("Coder", { repo_state: { branch: "main", ci_status, last_failed_step } });
    expect([...state("red", "lint"), ...state("green", null), ...state("unknown", null)]).toEqual([]);
    expect(state("red", null)).toEqual(["/repo_state/last_failed_step"]);
    expect(state("green", "lint")).toEqual(["/repo_state/last_failed_step"]);
    expect(state("yellow", null)).toContain("/repo_state/ci_status");
  });

  test("[CRW-010] tools_available is exactly what the role is granted", () => {
    for (const role of ["Reviewer", "Security"] as const) {
      expect(CREW_AGENTS[role].tools).not.toContain("write_file");
      expect(CREW_AGENTS[role].tools).not.toContain("apply_patch");
      expect(problems(role, { tools_available: [...CREW_AGENTS[role].tools, "write_file"] })).toEqual(["/tools_available"]);
      expect(problems(role, { tools_available: ["read_file"] })).toEqual(["/tools_available"]);
    }
    expect(problems("Coder", { tools_available: ["browser"] })).toEqual(["/tools_available/0"]);
  });

  test("[CRW-011] changed files go to every Reviewer and to nobody else", () => {
    const file = { path: "a.ts", change_type: "added" };
    expect(problems("Reviewer", { task: { session_changed_files: [file] } })).toEqual([]);
    expect(problems("Reviewer", { task: { session_changed_files: undefined } })).toEqual(["/task/session_changed_files"]);
    expect(problems("QA", { task: { session_changed_files: [file] } })).toEqual(["/task/session_changed_files"]);
    expect(problems("QA", { task: { session_changed_files: [] } })).toEqual([]);
  });

  test("[CRW-011] old_path stands with renamed only", () => {
    const of = (entry: object) => problems("Reviewer", { task: { session_changed_files: [{ path: "b.ts", ...entry }] } });
    expect(of({ change_type: "renamed", old_path: "a.ts" })).toEqual([]);
    expect(of({ change_type: "renamed" })).toHaveLength(1);
    expect(of({ change_type: "modified", old_path: "a.ts" })).toHaveLength(1);
    expect(of({ change_type: "copied" })).toHaveLength(1);
  });

  test("[CRW-013] `lean` belongs to SpecAgent in INTAKE_LEAN, `research_question` to every Researcher", () => {
    expect(problems("SpecAgent", { lean: true }, "INTAKE_LEAN")).toEqual([]);
    expect(problems("SpecAgent", {}, "INTAKE_LEAN")).toEqual(["/lean"]);
    expect(problems("SpecAgent", { lean: true })).toEqual(["/lean"]);
    expect(problems("Coder", { lean: true })).toEqual(["/lean"]);
    expect(problems("Researcher", { research_question: undefined })).toEqual(["/research_question"]);
    expect(problems("Researcher", { research_question: "" })).toEqual(["/research_question"]);
    expect(problems("Coder", { research_question: "Why?" })).toEqual(["/research_question"]);
  });
});
