import type { DispatchedRole } from "../../agents.ts";
import type { OutputFacts } from "../facts.ts";
import { toolsOf, type DispatchInput } from "../input.ts";
import { readOutput, type OutputOf } from "../output.ts";

export const SESSION = "2026-11-18_date-format";
export const FOLDER = `.slipway/runs/${SESSION}/`;

export function sampleInput(role: DispatchedRole, changes: Readonly<Record<string, unknown>> = {}): DispatchInput {
  const { task, ...rest } = changes;
  return {
    task: {
      id: "T-001",
      title: "Dates",
      goal: "Format dates",
      non_goals: [],
      context_files: [],
      ...(role === "Reviewer" ? { session_changed_files: [] } : {}),
      constraints: [],
      acceptance_checks: ["cmd: npm test"],
      risk_flags: [],
      ...(task as object | undefined),
    },
    project_type: "lib",
    repo_state: { branch: "main", ci_status: "unknown", last_failed_step: null },
    tools_available: [...toolsOf(role)],
    artifact_list: [],
    ...(role === "Researcher" ? { research_question: "Which library?" } : {}),
    ...rest,
  } as DispatchInput;
}

export const sampleOutput = (artifacts: object = {}, changes: object = {}) => ({
  status: "OK",
  summary: "It is done.",
  artifacts,
  gates: { meets_definition_of_done: true, needs_review: true, needs_tests: false, security_concerns: [] },
  next: { recommended_agent: "Reviewer", recommended_task_id: "same", reason: "next" },
  ...changes,
});

/** An output that the schema of its role takes. */
export function output<R extends DispatchedRole>(role: R, artifacts: object = {}, changes: object = {}): OutputOf<R> {
  const read = readOutput(role, "T-001", sampleOutput(artifacts, changes));
  if (!read.ok) throw new Error(read.problems.join("; "));
  return read.value;
}

export const FACTS: OutputFacts = {
  taskId: "T-001",
  taskType: "feat",
  taskStatus: "implemented",
  filesExpected: null,
  unreadContext: [],
  designSpecs: [],
  secretsIn: [],
  criteria: [],
  execution: null,
  behaviourChanged: false,
  changedTests: [],
  failedSteps: [],
  checklist: null,
  sessionPath: FOLDER,
};
