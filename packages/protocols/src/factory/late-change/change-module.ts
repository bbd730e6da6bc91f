import { workflow } from "@slipway/durable/ctx";
import { storePaths } from "../artifacts/layout.ts";
import { moduleRef, summaryOf } from "../code-index/entry.ts";
import { contractSchema, DIMENSIONS, type Contract } from "@slipway/languages/contracts/schema";
import type { Call } from "@slipway/kernel/record/operations/call";
import { jsonText, type DocumentKind } from "@slipway/kernel/record/documents/kind";
import { z } from "zod";
import { debateContract } from "./debate-change.ts";
import { RELAXED } from "../durability.ts";
import { engineerTask } from "../engineering/engineering.ts";
import type { PlanDraft } from "../engineering/micro-plan.ts";
import type { EngineeringTask } from "../engineering/ports.ts";
import { taskRun } from "../engineering/task-run.ts";
import type { InterfaceCandidate } from "../exceptions/candidate.ts";
import { resolveException, type DebateRound } from "../exceptions/resolve.ts";
import { exceptionKind, type InterfaceChangeException } from "../exceptions/schema.ts";
import { TASK_STEPS } from "../steps.ts";
import type { FactoryServices } from "../services.ts";

/** Raise it whenever a step is renamed, added, removed or reordered. */
const CHANGE_VERSION = "2";

export interface ChangeRunInput {
  readonly exception_id: string;
  /** The halted task. */
  readonly task: EngineeringTask;
}

export type ChangeResult =
  | { readonly status: "shipped"; readonly module_ref: string }
  | { readonly status: "failed"; readonly reason: string; readonly rounds: readonly DebateRound[] };

/** Performs an approved change of a contract: debate, build, ship, then supersede the old version. */
export const interfaceChange = workflow<ChangeRunInput, ChangeResult, FactoryServices>(
  "factory-change",
  CHANGE_VERSION,
  async (ctx, { exception_id, task: halted }, services) => {
    const task = { ...halted, take: ctx.runId.slice(ctx.runId.lastIndexOf("/") + 1).replaceAll(":", "-") };
    const run = taskRun(ctx, services, task);
    const exception = await ctx.step("exception", () => services.documents.get(exceptionKind, exception_id));
    const outcome = await resolveException(exception, {
      // A debate round consists of several steps.
      step: (name, body) => (name.includes(":debate_round:") ? body() : ctx.step(name, body)),
      contractOf: async (ref) => (await services.store.shippedModule(ref))?.contract ?? null,
      dependentsOf: (ref) => services.codeIndex.dependentsOf(ref),
      debateRound: (round) => debateContract(run, round),
      openVersion: (candidate, rounds) =>
        keepApproved(services, run.call(TASK_STEPS.finalize.named(exception_id)), candidate.contract, rounds),
    });
    if (outcome.kind !== "agreed") {
      const reason = outcome.kind === "invalid" ? outcome.problems.join("; ") : outcome.reason;
      return { status: "failed", reason, rounds: outcome.kind === "invalid" ? [] : outcome.rounds };
    }
    const { candidate, module_ref } = outcome;
    const built = await engineerTask(taskRun(ctx, services, successorTask(task, exception, candidate)), {
      kind: "plan",
      plan: successorPlan(exception, candidate.contract),
    });
    if (built.status !== "SHIPPED") {
      return { status: "failed", reason: built.halt.escalation.minimal_decision_required, rounds: outcome.rounds };
    }
    await run.keep(TASK_STEPS.supersede.named(), (call) =>
      services.codeIndex.retire(call, {
        module_ref: exception.target_module,
        status: "SUPERSEDED",
        superseded_by: module_ref,
        note: `Superseded by ${module_ref}, which ${exception_id} asked for: ${exception.reason}`,
      }),
    );
    return { status: "shipped", module_ref };
  },
  RELAXED,
);

/** If the contract was agreed before but could not be built, the last agreement replaces it. */
async function keepApproved({ documents }: FactoryServices, call: Call, contract: Contract, debate: readonly DebateRound[]): Promise<void> {
  const body = { module_ref: refOf(contract), contract, debate: [...debate] };
  if ((await documents.find(approvedContractKind, body.module_ref)) === null) await documents.keep(call, approvedContractKind, body);
  else
    await documents.revise({ ...call, operationId: `${call.operationId}/again` }, approvedContractKind, body.module_ref, body, () => body);
}

function refOf({ module_id, module_version }: Contract): string {
  return `${module_id}@${module_version}`;
}

const approvedContract = z.strictObject({ module_ref: moduleRef, contract: contractSchema, debate: z.array(z.unknown()) });

/** Stored in the folder of the version to be built. */
const approvedContractKind: DocumentKind<z.output<typeof approvedContract>> = {
  kind: "approved contract",
  prefix: null,
  idField: "module_ref",
  schema: approvedContract,
  fixity: "revised",
  files(_id, { contract, debate }) {
    const folder = storePaths.module(contract.module_id, contract.module_version);
    return { [`${folder}/contract.json`]: jsonText(contract), [`${folder}/debate.json`]: jsonText(debate) };
  },
};

/** The task of the engineering loop: the change only, nothing of the task that needs it. */
function successorTask(
  task: EngineeringTask,
  exception: InterfaceChangeException,
  { contract, differences }: InterfaceCandidate,
): EngineeringTask {
  const { exception_id, target_module, reason, evidence, compatibility_expectation } = exception;
  const criterion = "serves what the interface change asks for";
  return {
    ...task,
    task_file: [
      `# Task: a new version of ${target_module}`,
      `## Task ID: ${task.task_id}`,
      `## Description\n${exception_id}: ${reason}\n${evidence.map((line) => `- ${line}`).join("\n")}`,
      `## What changes\n${differences.map((line) => `- ${line}`).join("\n")}`,
      `## Acceptance Criteria\n- ${criterion}`,
    ].join("\n\n"),
    acceptance_criteria: [criterion],
    dependencies: contract.dependencies.map(({ ref }) => ref),
    successors: { [contract.module_id]: compatibility_expectation },
  };
}

function successorPlan({ exception_id }: InterfaceChangeException, approved: Contract): PlanDraft {
  // Versions are assigned when the plan is locked.
  const { module_version: _, ...contract } = approved;
  const summary = summaryOf(contract);
  const io = DIMENSIONS.map((dimension) => [
    dimension,
    summary[dimension].length === 0 ? ["none: nothing is declared"] : summary[dimension],
  ]);
  const module = {
    module_id: contract.module_id,
    name: contract.name,
    purpose: contract.purpose,
    io_contract: Object.fromEntries(io) as PlanDraft["modules"][number]["io_contract"],
    error_cases: contract.error_cases,
    depends_on: contract.dependencies.map(({ ref }) => ref),
    reuse_candidate_refs: [],
    reuse_decision: "CREATE_NEW" as const,
    reuse_justification: `${exception_id} asks for a new version.`,
  };
  const report = {
    module_id: contract.module_id,
    query: contract.purpose,
    candidates_considered: [],
    conclusion: "CREATE_NEW" as const,
    justification: `${exception_id} asks for a new version, and a person has approved it.`,
  };
  return { modules: [module], contracts: [contract], reuse_reports: [report] };
}
