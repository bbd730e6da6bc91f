import type { ProjectType } from "../contract/names.ts";
import { isBuildFile, isDataFile, isEndpointFile, isInterfaceFile, isProductFile } from "../grants/file-kinds.ts";
import { QA_FOCUS, type TestChangeType } from "./qa.ts";
import { REVIEWER_CHECKLIST } from "./reviewer.ts";
import { SECURITY_CHECKLIST } from "./security.ts";
import { applies, stressOf, typesOf, type ChecklistRole, type Topic } from "./topics.ts";

export interface QualifiedItem {
  readonly id: string;
  readonly group: string;
  readonly text: string;
  readonly topic: Topic;
}

export interface Checklist {
  readonly items: readonly QualifiedItem[];
  /** Items that do not apply, each with the type of project that excludes it. */
  readonly skipped: readonly QualifiedItem[];
  readonly stress: readonly string[];
  readonly projectType: ProjectType;
}

const CHECKLISTS: Readonly<Record<ChecklistRole, readonly QualifiedItem[]>> = {
  Reviewer: REVIEWER_CHECKLIST,
  QA: QA_FOCUS,
  Security: SECURITY_CHECKLIST,
};

/** The role's checklist for a type of project; for a mixed one, what applies to any of the files. */
export function checklistFor(role: ChecklistRole, projectType: ProjectType, files: readonly string[] = []): Checklist {
  const types = typesOf(projectType, files);
  const isApplicable = ({ topic }: QualifiedItem) => types.some((type) => applies(topic, role, type));
  const all = CHECKLISTS[role];
  return {
    items: all.filter(isApplicable),
    skipped: all.filter((item) => !isApplicable(item)),
    stress: stressOf(role, projectType, files),
    projectType,
  };
}

/** One line of the run log for each skipped item. */
export function skippedLines({ skipped, projectType }: Pick<Checklist, "skipped" | "projectType">): string[] {
  return skipped.map(({ id }) => `${id}: N/A (${projectType})`);
}

/** Groups of which at least one item applies. */
export function openGroups({ items }: Checklist): ReadonlySet<string> {
  return new Set(items.map(({ group }) => group));
}

/** The rows of QA's table that a change needs, besides those that always hold. */
export function focusOf(changes: readonly TestChangeType[], checklist: Checklist): readonly QualifiedItem[] {
  return checklist.items.filter(({ group }) => group === "always" || (changes as readonly string[]).includes(group));
}

export interface ChangedWork {
  readonly files: readonly string[];
  /** Of the task; null for `meta`. */
  readonly taskType: string | null;
  readonly isSecurityFix: boolean;
}

const isLogic = (path: string) => isProductFile(path) && ![isEndpointFile, isDataFile, isInterfaceFile].some((is) => is(path));

export function changeTypesOf({ files, taskType, isSecurityFix }: ChangedWork): TestChangeType[] {
  const some = (is: (path: string) => boolean) => files.some(is);
  const found: readonly [TestChangeType, boolean][] = [
    ["endpoint", some(isEndpointFile)],
    ["data method", some(isDataFile)],
    ["business logic", some(isLogic)],
    ["UI", some(isInterfaceFile)],
    ["security fix", isSecurityFix],
    ["bug fix", taskType === "fix"],
    ["config", some(isBuildFile)],
  ];
  return found.filter(([, isFound]) => isFound).map(([type]) => type);
}
