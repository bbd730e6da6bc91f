import { SlipwayError } from "@slipway/agents/errors";
import { canonicalPath } from "@slipway/kernel/paths/paths";
import type { PlanDraft } from "../engineering/micro-plan.ts";
import { checkPlan, type MicroPlanFacts } from "../engineering/plan-rules.ts";
import { openBoard } from "../project/board.ts";
import type { TaskChange } from "../project/changes.ts";
import { amended, type TaskDetails } from "../project/task-details.ts";
import { planSplit } from "../project/split.ts";
import type { Task } from "../project/state.ts";
import { checkAnswer, type HumanResolution } from "./answers.ts";

/** The complete input of a resolution. */
export interface ResolutionFacts {
  readonly task_id: string;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly sheet: TaskDetails;
  readonly sheetOf: (taskId: string) => TaskDetails | undefined;
  readonly planFacts: MicroPlanFacts;
  /** The modules that did not ship, with their last deliverables; null if nothing was delivered. */
  readonly failed: readonly FailedModule[];
  /** ISO-8601. */
  readonly at: string;
}

export interface FailedModule {
  readonly module_id: string;
  readonly module_version: string;
  readonly files: Readonly<Record<string, string>> | null;
}

/** Where the work continues. */
export type Resume =
  | { readonly at: "dispatch" }
  | { readonly at: "ship"; readonly module_id: string; readonly adjudication: HumanAdjudication }
  | { readonly at: "micro_plan"; readonly plan: PlanDraft }
  | { readonly at: "challenge"; readonly module_id: string; readonly proposal: HumanProposal };

/** Replaces the Arbiter's. */
export interface HumanAdjudication {
  readonly decision: "APPROVE";
  readonly amendments: readonly [];
  readonly rationale: string;
  readonly ship_directive: "SHIP";
}

/** Replaces the Proposer's; no role revises it. */
export interface HumanProposal {
  readonly proposed_by: "human";
  readonly claim: string;
  readonly acceptance_checks: readonly string[];
  /** The whole deliverable, with the fix applied. */
  readonly files: Readonly<Record<string, string>>;
}

export interface StateChanges {
  readonly ok: true;
  readonly resolution: HumanResolution;
  /** Applied in this order. */
  readonly changes: readonly TaskChange[];
  readonly sheets: Readonly<Record<string, TaskDetails>>;
  /** New or changed task files, by path in the state store. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly resume: Resume;
}

/** Refused: nothing changes. */
export type Resolved = StateChanges | { readonly ok: false; readonly problems: readonly string[] };

/** Turns an answer into changes of state. Pure: no model, no clock, no file. */
export function resolve(answer: unknown, facts: ResolutionFacts): Resolved {
  const checked = checkAnswer(answer);
  if (!checked.ok) return checked;
  const { resolution } = checked;
  const status = facts.tasks[facts.task_id]?.status;
  const allowed = status === "HALTED" || (status === "BLOCKED" && FOR_BLOCKED.includes(resolution.action));
  if (!allowed)
    return refused(`${facts.task_id} is ${status ?? "no task of the project"}; ${resolution.action} has nothing to resolve there.`);
  const worked = workOut(resolution, facts);
  return worked.ok ? provable(worked, facts) : worked;
}

/** A task that depends on an abandoned one can get other dependencies, be split, or be abandoned too. */
const FOR_BLOCKED: readonly HumanResolution["action"][] = ["AMEND_SPEC", "SPLIT_TASK", "ABANDON_TASK"];

function workOut(resolution: HumanResolution, facts: ResolutionFacts): Resolved {
  const { task_id: task } = facts;
  const done = (changes: readonly TaskChange[], rest: Partial<StateChanges> = {}): StateChanges => ({
    ok: true,
    resolution,
    changes,
    sheets: {},
    files: [],
    resume: { at: "dispatch" },
    ...rest,
  });
  switch (resolution.action) {
    case "APPROVE_OVERRIDE": {
      const module = failedModule(facts, resolution.module_id);
      if (typeof module === "string") return refused(module);
      const adjudication = { decision: "APPROVE", amendments: [], rationale: resolution.rationale, ship_directive: "SHIP" } as const;
      const resume: Resume = { at: "ship", module_id: module.module_id, adjudication };
      return done([{ kind: "resume", task, by: "APPROVE_OVERRIDE" }], { resume });
    }
    case "AMEND_SPEC":
      return amend(resolution, facts, done);
    case "SPLIT_TASK":
      return split(resolution, facts, done);
    case "REVISE_PLAN": {
      const plan = checkPlan(resolution.revised_micro_plan, facts.planFacts);
      if (!plan.ok) return { ok: false, problems: plan.problems.map(({ field, message }) => `/revised_micro_plan${field}: ${message}`) };
      return done([{ kind: "resume", task, by: "REVISE_PLAN" }], { resume: { at: "micro_plan", plan: plan.draft } });
    }
    case "PROVIDE_FIX":
      return provideFix(resolution, facts, done);
    case "ABANDON_TASK":
      return done([{ kind: "abandon", task, by: "ABANDON_TASK", rationale: resolution.rationale }]);
  }
}

type Done = (changes: readonly TaskChange[], rest?: Partial<StateChanges>) => StateChanges;
type Of<A extends HumanResolution["action"]> = Extract<HumanResolution, { action: A }>;

function amend(resolution: Of<"AMEND_SPEC">, { task_id: task, tasks, sheet, at }: ResolutionFacts, done: Done): Resolved {
  const { depends_on } = resolution;
  const isBlocked = tasks[task]?.status === "BLOCKED";
  if (isBlocked && depends_on === undefined)
    return refused(`/depends_on: ${task} depends on an abandoned task; give other dependencies, or an empty list.`);
  const changes: TaskChange[] = [
    ...(depends_on === undefined ? [] : [{ kind: "rewire" as const, task, depends_on }]),
    ...(isBlocked ? [] : [{ kind: "requeue" as const, task, by: "AMEND_SPEC" as const }]),
  ];
  const changed = amended(sheet, resolution.amended_acceptance_criteria, resolution.amendment_rationale, at);
  return done(changes, { sheets: { [task]: { ...changed, depends_on: depends_on ?? changed.depends_on } } });
}

function split({ new_tasks }: Of<"SPLIT_TASK">, { task_id, tasks, sheet, sheetOf }: ResolutionFacts, done: Done): Resolved {
  const entry = tasks[task_id];
  const twice = new_tasks.map(({ name }) => name).filter((name, index, names) => names.indexOf(name) < index);
  if (entry === undefined || twice.length > 0) return refused(`/new_tasks: two of them are called "${twice[0]}".`);
  return attempt(() => {
    const { change, sheets, files } = planSplit({ task_id, entry, sheet }, tasks, new_tasks, sheetOf);
    return done([change], { sheets, files });
  });
}

function provideFix({ fix_description, fix_artifacts, module_id }: Of<"PROVIDE_FIX">, facts: ResolutionFacts, done: Done): Resolved {
  const module = failedModule(facts, module_id);
  if (typeof module === "string") return refused(module);
  const outside = Object.keys(fix_artifacts).flatMap((path) => {
    const problem = pathProblem(path);
    return problem === null ? [] : [`/fix_artifacts: ${JSON.stringify(path)} ${problem}`];
  });
  if (outside.length > 0) return { ok: false, problems: outside };
  const proposal: HumanProposal = {
    proposed_by: "human",
    claim: fix_description,
    acceptance_checks: facts.sheet.acceptance_criteria,
    files: { ...module.files, ...fix_artifacts },
  };
  const resume: Resume = { at: "challenge", module_id: module.module_id, proposal };
  return done([{ kind: "resume", task: facts.task_id, by: "PROVIDE_FIX" }], { resume });
}

const WORKSPACE = /^(?:implementation|tests)\/.|^(?:contract\.json|examples\.md)$/;

/** Only files of the module's workspace. */
function pathProblem(path: string): string | null {
  const canonical = canonicalPath(path);
  if (!canonical.ok) return `${canonical.reason}.`;
  if (canonical.path !== path) return `should be written ${canonical.path}.`;
  return WORKSPACE.test(path) ? null : "is no file of the module: use implementation/…, tests/…, contract.json or examples.md.";
}

/** The module meant, or why it is ambiguous. */
function failedModule({ failed }: ResolutionFacts, named: string | undefined): FailedModule | string {
  const delivered = failed.filter(({ files }) => files !== null);
  const names = delivered.map(({ module_id }) => module_id).join(", ");
  if (delivered.length === 0) return "Nothing was delivered to ship or fix; revise the plan, split, amend or abandon the task.";
  if (named === undefined) return delivered.length === 1 ? (delivered[0] as FailedModule) : `/module_id: name one of ${names}.`;
  return delivered.find(({ module_id }) => module_id === named) ?? `/module_id: ${named} is not one of the failed modules: ${names}.`;
}

/** Applies the changes to a copy first, so that an invalid change is refused before anything changes. */
function provable(changes: StateChanges, { tasks }: ResolutionFacts): Resolved {
  return attempt(() => {
    const board = openBoard(tasks, { verify: false });
    for (const change of changes.changes) board.apply(change);
    return changes;
  });
}

function attempt(work: () => StateChanges): Resolved {
  try {
    return work();
  } catch (error) {
    if (error instanceof SlipwayError && error.code !== "internal_error") return refused(error.message);
    throw error;
  }
}

function refused(problem: string): Resolved {
  return { ok: false, problems: [problem] };
}
