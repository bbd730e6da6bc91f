import { changeTypesOf, checklistFor, focusOf } from "../checklists/qualify.ts";
import type { ProjectType } from "../contract/names.ts";
import type { PromptData } from "../prompts/render.ts";
import type { DispatchOrder } from "./order.ts";

/** The checklist of a dispatch: of QA's table the rows that the change needs. Null for roles without one. */
export function checklistOf({ role, reviewed, taskType, isSecurityFix }: DispatchOrder, projectType: ProjectType): PromptData["checklist"] {
  if (role !== "Reviewer" && role !== "QA" && role !== "Security") return null;
  const checklist = checklistFor(role, projectType, reviewed);
  if (role !== "QA") return checklist;
  return { ...checklist, items: focusOf(changeTypesOf({ files: reviewed, taskType, isSecurityFix }), checklist) };
}
