import { z } from "zod";
import { CREW_AGENTS, CREW_TOOLS, type CrewRole, type CrewTool, type DispatchedRole } from "../agents.ts";
import type { CrewState } from "../states/states.ts";
import { acceptanceCheckSchema, ciResultSchema, nonEmpty, projectTypeSchema, riskFlagsSchema, taskIdSchema, texts } from "./names.ts";
import { problem, readAs, refused, type Read } from "./problems.ts";

export const CHANGE_TYPES = ["added", "modified", "deleted", "renamed"] as const;

export const changedFileSchema = z
  .strictObject({ path: nonEmpty, change_type: z.enum(CHANGE_TYPES), old_path: nonEmpty.optional() })
  .refine(({ change_type, old_path }) => (change_type === "renamed") === (old_path !== undefined), {
    path: ["old_path"],
    error: "stands with `renamed`, and with nothing else",
  });
export type SessionChangedFile = z.infer<typeof changedFileSchema>;

export const dispatchTaskSchema = z.strictObject({
  id: taskIdSchema,
  title: nonEmpty,
  goal: nonEmpty,
  non_goals: texts,
  context_files: texts,
  session_changed_files: z.array(changedFileSchema).optional(),
  constraints: texts,
  acceptance_checks: z.array(acceptanceCheckSchema),
  risk_flags: riskFlagsSchema,
});

export const repoStateSchema = z
  .strictObject({ branch: nonEmpty, ci_status: ciResultSchema, last_failed_step: nonEmpty.nullable() })
  .refine(({ ci_status, last_failed_step }) => (ci_status === "red") === (last_failed_step !== null), {
    path: ["last_failed_step"],
    error: "names the failed step while `ci_status` is `red`, and is null otherwise",
  });
export type RepoState = z.infer<typeof repoStateSchema>;

/** The universal input. The last two fields belong to one role each. */
export const dispatchInputSchema = z.strictObject({
  task: dispatchTaskSchema,
  project_type: projectTypeSchema,
  repo_state: repoStateSchema,
  tools_available: z.array(z.enum(CREW_TOOLS)),
  artifact_list: texts,
  lean: z.literal(true).optional(),
  research_question: nonEmpty.optional(),
});
export type DispatchInput = z.infer<typeof dispatchInputSchema>;

export function toolsOf(role: CrewRole): readonly CrewTool[] {
  return CREW_AGENTS[role].tools;
}

/** The input as it is sent to `role` in `state`, or everything that is wrong with it. */
export function parseDispatchInput(role: DispatchedRole, state: CrewState, value: unknown): Read<DispatchInput> {
  const read = readAs(dispatchInputSchema, value);
  if (!read.ok) return read;
  const problems = roleProblems(role, state, read.value);
  return problems.length === 0 ? read : refused(problems);
}

function roleProblems(role: DispatchedRole, state: CrewState, input: DispatchInput): string[] {
  const { session_changed_files: changed } = input.task;
  const granted = toolsOf(role);
  const listed = new Set(input.tools_available);
  const isSame = listed.size === granted.length && granted.every((tool) => listed.has(tool));
  return [
    ...problem(role === "Reviewer" && changed === undefined, "/task/session_changed_files: missing; a Reviewer gets every changed file"),
    ...problem(role !== "Reviewer" && (changed ?? []).length > 0, `/task/session_changed_files: only a Reviewer gets it, not ${role}`),
    ...problem(input.lean !== undefined && role !== "SpecAgent", `/lean: only SpecAgent gets it, not ${role}`),
    ...problem(role === "SpecAgent" && (input.lean === true) !== (state === "INTAKE_LEAN"), "/lean: true in INTAKE_LEAN, absent elsewhere"),
    ...problem(role === "Researcher" && input.research_question === undefined, "/research_question: missing; a Researcher needs one"),
    ...problem(role !== "Researcher" && input.research_question !== undefined, `/research_question: only Researcher gets it, not ${role}`),
    ...problem(!isSame, `/tools_available: ${role} is granted exactly ${granted.join(", ")}`),
  ];
}
