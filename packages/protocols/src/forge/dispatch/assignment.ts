import type { PackItem } from "@slipway/agents/pack";
import type { z } from "zod";
import type { Workspace } from "../../dispatch/workspace.ts";
import type { PlayedForgeRole } from "../agents.ts";
import type { ForgeRun } from "../forge-run.ts";
import { holdsSecret } from "../rules/secrets.ts";
import { answerSchemaOf, type Answer } from "../schemas/answers.ts";
import { repositoryWorkspace, type Worked } from "./contents.ts";
import { wrongChanges } from "./declared-changes.ts";
import type { Dispatch } from "./dispatches.ts";
import { designSections, knowledgeSections, planSections, researchSections, reviewSections, specSections } from "./document-sections.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { problemsIn } from "./answer-problems.ts";
import { implementerSections, taskOf, verifierSections } from "./task-sections.ts";

export type RoleAnswer = Answer<PlayedForgeRole>;

/** What an agent is asked: everything but who plays it. */
export interface DispatchWork {
  readonly instructions: string;
  readonly sections: () => Promise<PackItem[]>;
  readonly workspace: () => Promise<Workspace<Worked<RoleAnswer>>>;
  /** Where the role may have another model for this dispatch. */
  readonly modelKey?: string | undefined;
}

export function assignmentOf(run: ForgeRun, dispatch: Dispatch): DispatchWork {
  return {
    instructions: INSTRUCTIONS[dispatch.role](dispatch as never),
    sections: () => sectionsOf(run, dispatch),
    workspace: async () =>
      repositoryWorkspace(run, {
        role: dispatch.role,
        schema: await checkedSchema(run, dispatch),
        writable: await writableBy(run, dispatch),
        problems: (answer, changes) => wrongChanges(dispatch, answer, changes),
      }),
    ...(dispatch.role === "adversarial-reviewer" && !dispatch.fallback ? { modelKey: reviewerKey(dispatch.focus) } : {}),
  };
}

/** The key of a reviewer's own model: `forge/adversarial-reviewer/security` in agents.yaml. */
export function reviewerKey(focus: string): string {
  return `adversarial-reviewer/${focus}`;
}

function sectionsOf(run: ForgeRun, dispatch: Dispatch): Promise<PackItem[]> {
  switch (dispatch.role) {
    case "researcher":
      return researchSections(run, dispatch);
    case "spec":
      return specSections(run, dispatch);
    case "designer":
      return designSections(run, dispatch);
    case "planner":
      return planSections(run, dispatch);
    case "implementer":
      return implementerSections(run, dispatch);
    case "verifier":
      return verifierSections(run, dispatch);
    case "adversarial-reviewer":
      return reviewSections(run, dispatch);
    case "knowledge-agent":
      return knowledgeSections(run, dispatch);
  }
}

/** Problems that need more than the answer to be seen are returned to the agent like those of its schema. */
async function checkedSchema(run: ForgeRun, dispatch: Dispatch): Promise<z.ZodType<RoleAnswer>> {
  const problems = await problemsIn(run, dispatch);
  const schema = answerSchemaOf(dispatch.role) as z.ZodType<RoleAnswer>;
  return schema.superRefine((answer, context) => {
    if (holdsSecret(answer))
      context.addIssue({
        code: "custom",
        message: "the output contains a key or token; name the place where it is kept instead",
        path: [],
      });
    if (answer.payload === null) return;
    for (const message of problems(answer)) context.addIssue({ code: "custom", message, path: ["payload"] });
  });
}

/** Only an implementer at work changes files: exactly those of its task. In revert mode the harness restores them. */
async function writableBy(run: ForgeRun, dispatch: Dispatch): Promise<readonly string[]> {
  if (dispatch.role !== "implementer" || dispatch.mode === "revert") return [];
  const task = await taskOf(run, dispatch.task_id);
  return task.relevant_context.files_to_modify.map(({ path }) => path);
}
