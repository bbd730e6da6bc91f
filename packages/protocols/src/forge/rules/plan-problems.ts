import { foldedPath } from "@slipway/kernel/paths/paths";
import { resolvePointers, type Pointed } from "../pointers/resolve.ts";
import { highestRisk } from "../schemas/enums.ts";
import type { ForgePlan } from "../schemas/plan.ts";
import { sizeOf, type ForgeTask } from "../schemas/task.ts";

export interface ForgePlanFacts extends Pointed {
  /** Before the first wave of this plan. */
  readonly exists: (path: string) => boolean;
  /** Tasks of an earlier plan that are done, when this one replaces the rest. */
  readonly finished?: readonly string[];
}

/** Everything that keeps a plan from being carried out, each with its file and field. */
export function planProblems(plan: ForgePlan, facts: ForgePlanFacts): string[] {
  const waveOf = new Map(plan.waves.flatMap((ids, wave) => ids.map((id) => [id, wave] as const)));
  return [
    ...taskListProblems(plan),
    ...waveProblems(plan),
    ...plan.tasks.flatMap((task) => dependencyProblems(task, waveOf, facts.finished ?? [])),
    ...plan.tasks.flatMap((task) => contextProblems(task, facts)),
    ...fileProblems(plan, waveOf, facts.exists),
  ];
}

const inPlan = (field: string, problem: string) => `plan-output.yaml, payload/${field}: ${problem}`;
const inTask = ({ id }: Pick<ForgeTask, "id">, field: string, problem: string) => `tasks/${id}.yaml, ${field}: ${problem}`;

function taskListProblems({ tasks, overall_risk_summary }: ForgePlan): string[] {
  const problems = tasks.flatMap(({ id }, index) =>
    tasks.findIndex((other) => other.id === id) < index ? [inPlan(`tasks/${index}/id`, `${id} is given twice`)] : [],
  );
  const risk = highestRisk(tasks.flatMap(({ relevant_context }) => relevant_context.files_to_modify.map(({ risk }) => risk)));
  if (overall_risk_summary !== risk)
    problems.push(inPlan("overall_risk_summary", `is ${overall_risk_summary}, but the highest risk of a file is ${risk}`));
  return problems;
}

function waveProblems({ tasks, waves }: ForgePlan): string[] {
  const known = new Set(tasks.map(({ id }) => id));
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const [wave, ids] of waves.entries()) {
    for (const id of ids) {
      if (!known.has(id)) problems.push(inPlan(`waves/${wave}`, `${id} is no task of this plan`));
      if (seen.has(id)) problems.push(inPlan(`waves/${wave}`, `${id} is in a wave already`));
      seen.add(id);
    }
  }
  for (const id of known) if (!seen.has(id)) problems.push(inPlan("waves", `${id} is in no wave`));
  return problems;
}

function dependencyProblems(task: ForgeTask, waveOf: ReadonlyMap<string, number>, finished: readonly string[]): string[] {
  const own = waveOf.get(task.id);
  return task.depends_on.flatMap((id, index) => {
    if (finished.includes(id)) return [];
    const wave = waveOf.get(id);
    if (wave === undefined) return [inTask(task, `depends_on/${index}`, `${id} is in no wave`)];
    if (own === undefined || wave < own) return [];
    return [inTask(task, `depends_on/${index}`, `${id} is not in an earlier wave`)];
  });
}

function contextProblems(task: ForgeTask, facts: ForgePlanFacts): string[] {
  const resolved = resolvePointers(task, facts);
  const criteria = new Set(facts.spec.acceptance_criteria.map(({ id }) => id));
  const size = sizeOf(task.relevant_context.files_to_modify.map(({ risk }) => risk));
  return [
    ...(resolved.ok ? [] : resolved.errors),
    ...task.acceptance_criteria.flatMap((id, index) =>
      criteria.has(id) ? [] : [inTask(task, `acceptance_criteria/${index}`, `spec-output.yaml has no criterion ${id}`)],
    ),
    ...(task.size === size ? [] : [inTask(task, "size", `is ${task.size}, but the risks of its files make it ${size}`)]),
  ];
}

/** Wave by wave: no file twice in one, and each operation possible when its wave starts. */
function fileProblems({ tasks, waves }: ForgePlan, waveOf: ReadonlyMap<string, number>, exists: (path: string) => boolean): string[] {
  const problems: string[] = [];
  const changed = new Map<string, boolean>();
  for (const wave of waves.keys()) {
    const owners = new Map<string, string>();
    const after: [string, boolean][] = [];
    for (const task of tasks.filter(({ id }) => waveOf.get(id) === wave)) {
      for (const [index, { path, operation }] of task.relevant_context.files_to_modify.entries()) {
        const field = `relevant_context/files_to_modify/${index}`;
        const owner = owners.get(foldedPath(path));
        if (owner !== undefined) problems.push(inTask(task, field, `${path} belongs to ${owner} of the same wave`));
        owners.set(foldedPath(path), task.id);
        const present = changed.get(path) ?? exists(path);
        if (operation === "create" && present) problems.push(inTask(task, field, `${path} exists already and cannot be created`));
        if (operation !== "create" && !present)
          problems.push(inTask(task, field, `${path} does not exist, so it cannot be ${PAST[operation]}`));
        after.push([path, operation !== "delete"]);
      }
    }
    for (const [path, present] of after) changed.set(path, present);
  }
  return problems;
}

const PAST = { modify: "modified", delete: "deleted" } as const;
