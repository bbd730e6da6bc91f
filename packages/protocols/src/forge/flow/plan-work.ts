import { planFiles } from "../../change/agent-change.ts";
import type { ForgeProgress } from "../progress.ts";
import { ForgeError } from "../forge-run.ts";
import { dispatchStep } from "../dispatch-step.ts";
import type { DispatchOf } from "../dispatch/dispatches.ts";
import { requiredPayload } from "../dispatch/run-documents.ts";
import { PLAN_FILE, SPEC_FILE } from "../files.ts";
import { postPlanningRequest } from "../rules/approvals.ts";
import type { PlanPayload } from "../schemas/plan.ts";
import { askGate } from "./ask-gate.ts";
import { elapsedMs } from "./elapsed.ts";

const MAX_REVISIONS = 10;
/** Plans that the kernel refuses, one after another. */
const MAX_REFUSALS = 3;

/** Steps 4 and 4a. Null if a person aborted or gave the change up. */
export async function planUntilApproved(progress: ForgeProgress, constraints: readonly string[]): Promise<PlanPayload | null> {
  let feedback: string | null = null;
  let refusals = 0;
  for (let round = 1; round <= MAX_REVISIONS; round++) {
    const plan = await makePlan(progress, { instance: round === 1 ? "plan" : `plan-${round}`, constraints, feedback, failed: [] });
    const answer = await askGate(progress, postPlanningRequest(plan, await elapsedMs(progress, `4a:${round}`)), round);
    if (answer.action.type === "abort") return null;
    if (answer.option === "revise") {
      feedback = answer.comment ?? "Plan the tasks in another way.";
      continue;
    }
    const submitted = await submitPlan(progress, plan, `plan-${round}`);
    if (submitted !== "accepted" && submitted !== "given up") {
      if (++refusals >= MAX_REFUSALS) throw new ForgeError("4", `the plan was refused ${refusals} times: ${submitted.refused}`);
      feedback = `The plan was refused:\n${submitted.refused}`;
      continue;
    }
    return submitted === "accepted" ? plan : null;
  }
  throw new ForgeError("4a", `the plan was sent back ${MAX_REVISIONS} times`);
}

/** Tasks that failed their verification, planned again. Null if a person gave the change up. */
export async function replan(progress: ForgeProgress, name: string, failed: DispatchOf<"planner">["failed"]): Promise<PlanPayload | null> {
  for (let refusals = 0; ;) {
    const instance = refusals === 0 ? name : `${name}-${refusals + 1}`;
    const plan = await makePlan(progress, { instance, constraints: [], feedback: null, failed });
    progress.go({ type: "go", step: "5" });
    const submitted = await submitPlan(progress, plan, instance);
    if (submitted === "accepted") return plan;
    if (submitted === "given up") return null;
    if (++refusals >= MAX_REFUSALS) throw new ForgeError("4", `the plan was refused ${refusals} times: ${submitted.refused}`);
  }
}

async function makePlan(progress: ForgeProgress, wanted: Omit<DispatchOf<"planner">, "role" | "step">): Promise<PlanPayload> {
  const { run } = progress;
  await dispatchStep(progress, {
    step: "4",
    dispatches: [{ role: "planner", step: "4", ...wanted }],
    input: async (agents, [result]) => {
      const plan = result?.dispatched.ok === true ? await planNow(progress, `${wanted.instance}:${result.attempts}`) : null;
      return { input: "plan", agents, overall_risk: plan?.overall_risk_summary ?? "🔴" };
    },
    words: wanted.failed.length === 0 ? "the plan" : `the plan, replanned for ${wanted.failed.map(({ task_id }) => task_id).join(", ")}`,
  });
  return run.ctx.step(`plan-output:${wanted.instance}`, () => requiredPayload(run, "planner", PLAN_FILE));
}

function planNow({ run }: ForgeProgress, name: string): Promise<PlanPayload> {
  return run.ctx.step(`planned:${name}`, () => requiredPayload(run, "planner", PLAN_FILE));
}

type Submitted = "accepted" | "given up" | { readonly refused: string };

/** The kernel's plan names every file of every task, so that no other feature changes them meanwhile. */
async function submitPlan({ run }: ForgeProgress, plan: PlanPayload, name: string): Promise<Submitted> {
  const files = plan.tasks.flatMap(({ relevant_context }) => relevant_context.files_to_modify);
  const spec = await run.ctx.step(`criteria:${name}`, () => requiredPayload(run, "spec", SPEC_FILE));
  const of = (operation: string) => [...new Set(files.filter((file) => file.operation === operation).map(({ path }) => path))];
  const wanted = { create: of("create"), modify: of("modify").filter((path) => !of("create").includes(path)), delete: of("delete") };
  const submitted = await planFiles(run.change, name, wanted, {
    summary: plan.summary,
    acceptance_criteria: spec.acceptance_criteria.map(({ id, text }) => `${id}: ${text}`),
  });
  if (!submitted.ok) return { refused: submitted.failure.message };
  return submitted.value === null ? "given up" : "accepted";
}
