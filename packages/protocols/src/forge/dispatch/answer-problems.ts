import { PLAN_FILE } from "../files.ts";
import type { ForgeRun } from "../forge-run.ts";
import { planProblems } from "../rules/plan-problems.ts";
import { uncheckedClaims } from "../rules/claims.ts";
import { reviewContradictions } from "../rules/verdicts.ts";
import type { ForgePlan } from "../schemas/plan.ts";
import type { ReviewAnswer } from "../schemas/review.ts";
import type { ForgeTask } from "../schemas/task.ts";
import type { VerificationPayload } from "../schemas/verification.ts";
import type { RoleAnswer } from "./assignment.ts";
import { foreignChanges } from "./declared-changes.ts";
import type { Dispatch, DispatchOf } from "./dispatches.ts";
import { payloadOf, recordedTask, requiredPayload } from "./run-documents.ts";

type Problems = (answer: RoleAnswer) => readonly string[];

/** What is wrong with an answer that fits its schema, judged by the records of the run. */
export async function problemsIn(run: ForgeRun, dispatch: Dispatch): Promise<Problems> {
  switch (dispatch.role) {
    case "planner":
      return planned(run, dispatch);
    case "verifier":
      return verified(run, dispatch);
    case "adversarial-reviewer":
      return reviewed(run);
    case "implementer":
      return implemented(run, dispatch);
    default:
      return () => [];
  }
}

async function planned(run: ForgeRun, { failed }: DispatchOf<"planner">): Promise<Problems> {
  const design = await requiredPayload(run, "designer", "design-output.yaml");
  const spec = await requiredPayload(run, "spec", "spec-output.yaml");
  const before = failed.length === 0 ? null : await payloadOf(run, "planner", PLAN_FILE);
  const { features } = run.change.services.kernel;
  const { files } = await features.context(run.id);
  const changed = new Map((await features.changedFiles(run.id)).map((file) => [file.path, file.change_type]));
  const isOnBase = (path: string) => (changed.has(path) ? changed.get(path) !== "added" : files.some((file) => file.path === path));
  return ({ payload }) => {
    const plan = payload as ForgePlan;
    return [...planProblems(plan, { design, spec, exists: isOnBase }), ...(before === null ? [] : changedTasks(before, plan, failed))];
  };
}

/** A replan leaves alone what has been verified. */
function changedTasks(before: ForgePlan, after: ForgePlan, failed: DispatchOf<"planner">["failed"]): string[] {
  const mayChange = new Set(failed.map(({ task_id }) => task_id));
  const kept = before.tasks.filter(({ id }) => !mayChange.has(id));
  const now = new Map(after.tasks.map((task) => [task.id, task]));
  return kept
    .filter((task) => !isSame(task, now.get(task.id)))
    .map(({ id }) => `task ${id} must stay as it is: only ${[...mayChange].join(", ")} is planned again`);
}

function isSame(left: ForgeTask, right: ForgeTask | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

async function implemented(run: ForgeRun, { task_id, mode: wanted }: DispatchOf<"implementer">): Promise<Problems> {
  const { relevant_context } = await recordedTask(run, task_id);
  const files = relevant_context.files_to_modify.map(({ path }) => path);
  return ({ payload }) => {
    const { mode } = payload as { readonly mode: string };
    const wrongMode = mode === wanted ? [] : [`mode must be ${wanted}, which you were dispatched in`];
    return [...wrongMode, ...foreignChanges(payload, files)];
  };
}

async function verified(run: ForgeRun, { task_id }: DispatchOf<"verifier">): Promise<Problems> {
  const { acceptance_criteria } = await recordedTask(run, task_id);
  return ({ completion, payload }) => {
    const { criteria } = (payload as VerificationPayload).verification_report;
    const judged = new Set(criteria.map(({ id }) => id));
    const missing = acceptance_criteria.filter((id) => !judged.has(id));
    const unmet = criteria.filter(({ met }) => !met).map(({ id }) => id);
    return [
      ...missing.map((id) => `criteria: ${id} of this task is not judged`),
      ...criteria.filter(({ id }) => !acceptance_criteria.includes(id)).map(({ id }) => `criteria: ${id} is not a criterion of this task`),
      ...(completion.status === "DONE" && unmet.length > 0 ? [`status DONE contradicts ${unmet.join(", ")}, which is not met`] : []),
    ];
  };
}

async function reviewed(run: ForgeRun): Promise<Problems> {
  const { checks } = await run.ledger.rows(run.ref.run_id);
  const ran = checks.filter(({ phase }) => phase === "after").map((row) => ({ ...row, passed: row.passed === 1 }));
  return ({ payload }) => {
    const review = payload as ReviewAnswer;
    return [...reviewContradictions(review), ...uncheckedClaims(review.checks_cited, ran)];
  };
}
