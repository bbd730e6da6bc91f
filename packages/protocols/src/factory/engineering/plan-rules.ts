import { checkSchema } from "@slipway/kernel/schema/violations";
import { isPlaceholder } from "@slipway/languages/contracts/placeholder";
import { DIMENSIONS } from "@slipway/languages/contracts/schema";
import { reuseProblems, type Alike, type ReuseFacts } from "../reuse/rules.ts";
import { planDraftSchema, type PlanDraft, type PlannedModule } from "./micro-plan.ts";
import { idOf, inDependencyOrder } from "./order.ts";

/** A violated rule, as reported to the planner. */
export interface PlanProblem {
  /** JSON pointer. */
  readonly field: string;
  readonly message: string;
}

export interface MicroPlanFacts {
  /** Modules of the plan that are in the state store already. */
  readonly existing: ReadonlySet<string>;
  /** Modules of which this plan may make a new version, by an interface change exception. */
  readonly successors: ReadonlySet<string>;
  /** Shipped modules that may be reused or called, as `MM-…@x.y.z`. */
  readonly shipped: ReadonlySet<string>;
  /** Similar entries of the code index, by module. */
  readonly reuse: Readonly<Record<string, ReuseFacts>>;
}

export type CheckedPlan =
  /** With the near duplicates of each module, which its report has addressed. */
  | { readonly ok: true; readonly draft: PlanDraft; readonly alike: Readonly<Record<string, readonly Alike[]>> }
  | { readonly ok: false; readonly problems: readonly PlanProblem[] };

/** Checks the schema first; the rules between fields only run on a valid form. */
export function checkPlan(value: unknown, facts: MicroPlanFacts): CheckedPlan {
  const checked = checkSchema(planDraftSchema, value);
  if (!checked.ok) {
    return { ok: false, problems: checked.violations.map(({ pointer, message }) => ({ field: pointer || "/", message })) };
  }
  const draft = checked.value;
  const problems = [
    ...draft.modules.flatMap((module, index) => moduleProblems(module, `/modules/${index}`, facts)),
    ...duplicates(draft.modules),
    ...cycleProblems(draft.modules),
    ...contractProblems(draft),
    ...reportProblems(draft, facts),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const created = draft.modules.filter(({ reuse_decision }) => reuse_decision === "CREATE_NEW");
  return { ok: true, draft, alike: Object.fromEntries(created.map(({ module_id }) => [module_id, facts.reuse[module_id]?.alike ?? []])) };
}

/** Every module the plan names, to look up which of them exist. */
export function namedModules(value: unknown): string[] {
  const checked = checkSchema(planDraftSchema, value);
  if (!checked.ok) return [];
  return [
    ...new Set(checked.value.modules.flatMap(({ module_id, reuse_candidate_refs }) => [module_id, ...reuse_candidate_refs.map(idOf)])),
  ];
}

function moduleProblems(module: PlannedModule, field: string, { existing, successors, shipped }: MicroPlanFacts): PlanProblem[] {
  const { module_id, io_contract, reuse_decision, reuse_candidate_refs } = module;
  const dimensions = DIMENSIONS.flatMap((dimension): PlanProblem[] => {
    const at = `${field}/io_contract/${dimension}`;
    if (io_contract[dimension].length === 0) return [{ field: at, message: "is empty; say what there is, or that there is none and why" }];
    return io_contract[dimension].flatMap((text, index) =>
      isPlaceholder(text) ? [{ field: `${at}/${index}`, message: `is a placeholder: ${JSON.stringify(text)}` }] : [],
    );
  });
  if (reuse_decision === "REUSE") {
    const reused = reuse_candidate_refs.find((ref) => shipped.has(ref) && idOf(ref) === module_id);
    const message = `REUSE needs a shipped version of ${module_id} among its candidates, found ${JSON.stringify(reuse_candidate_refs)}`;
    return reused === undefined ? [...dimensions, { field: `${field}/reuse_candidate_refs`, message }] : dimensions;
  }
  if (!existing.has(module_id) || successors.has(module_id)) return dimensions;
  return [...dimensions, { field: `${field}/module_id`, message: `"${module_id}" exists already; reuse it or choose another id` }];
}

function duplicates(modules: readonly PlannedModule[]): PlanProblem[] {
  return modules.flatMap(({ module_id }, index) =>
    modules.findIndex((other) => other.module_id === module_id) < index
      ? [{ field: `/modules/${index}/module_id`, message: `"${module_id}" is in the plan twice` }]
      : [],
  );
}

function cycleProblems(modules: readonly PlannedModule[]): PlanProblem[] {
  const order = inDependencyOrder(modules);
  return order.ok ? [] : [{ field: "/modules", message: `depends_on has a cycle among ${order.cycle.join(", ")}` }];
}

/** One typed contract for each module the plan creates. */
function contractProblems({ modules, contracts }: PlanDraft): PlanProblem[] {
  const created = modules.filter(({ reuse_decision }) => reuse_decision === "CREATE_NEW");
  const missing = created.flatMap((module): PlanProblem[] => {
    const found = contracts.filter(({ module_id }) => module_id === module.module_id).length;
    return found === 1 ? [] : [{ field: "/contracts", message: `${found} contracts for ${module.module_id}; exactly one is needed` }];
  });
  const wrong = contracts.flatMap((contract, index): PlanProblem[] => {
    const module = created.find(({ module_id }) => module_id === contract.module_id);
    const field = `/contracts/${index}`;
    if (module === undefined) return [{ field: `${field}/module_id`, message: `"${contract.module_id}" is no module this plan creates` }];
    const empty = (["inputs", "outputs"] as const).filter((dimension) => contract[dimension].length === 0);
    const declared = contract.dependencies.map(({ ref }) => idOf(ref)).toSorted();
    const planned = [...new Set(module.depends_on.map(idOf))].toSorted();
    return [
      ...empty.map((dimension) => ({ field: `${field}/${dimension}`, message: "is empty" })),
      ...(declared.join() === planned.join()
        ? []
        : [
            {
              field: `${field}/dependencies`,
              message: `names ${declared.join(", ") || "nothing"}, and depends_on names ${planned.join(", ") || "nothing"}`,
            },
          ]),
    ];
  });
  return [...missing, ...wrong];
}

const UNKNOWN: ReuseFacts = { known: [], returned: [], alike: [] };

/** One report for each module, consistent with the code index. */
function reportProblems({ modules, reuse_reports }: PlanDraft, { reuse, successors }: MicroPlanFacts): PlanProblem[] {
  const missing = modules.flatMap(({ module_id, reuse_decision }): PlanProblem[] => {
    const found = reuse_reports.filter((report) => report.module_id === module_id).length;
    if (found === 1) return [];
    return [{ field: "/reuse_reports", message: `${found} reports for ${module_id}; ${reuse_decision} needs exactly one` }];
  });
  const wrong = reuse_reports.flatMap((report, index): PlanProblem[] => {
    const field = `/reuse_reports/${index}`;
    const module = modules.find(({ module_id }) => module_id === report.module_id);
    if (module === undefined) return [{ field: `${field}/module_id`, message: `"${report.module_id}" is no module of this plan` }];
    const facts = reuse[report.module_id] ?? UNKNOWN;
    // A person has decided that a new version is made, so similar modules need no answer.
    const asked = successors.has(report.module_id) ? { ...UNKNOWN, known: facts.known } : facts;
    const problems = reuseProblems(module, report, asked);
    return problems.map((problem) => ({ field: `${field}${problem.field}`, message: problem.message }));
  });
  return [...missing, ...wrong];
}
