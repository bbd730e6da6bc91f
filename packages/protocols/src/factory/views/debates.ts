import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Adjudication, Challenge, Proposal } from "../engineering/debate/schemas.ts";
import type { Witnessed } from "../engineering/debate/witness.ts";
import { idOf } from "../engineering/order.ts";
import { debateEntry, debateFileKind, lockedPlanKind } from "../record-kinds.ts";

export interface RoundView {
  readonly round: number;
  /** The run of the task: a resumed task debates again. */
  readonly run: string;
  readonly proposal: Proposal | null;
  readonly challenge: Challenge | null;
  readonly witnesses: readonly Witnessed[];
  readonly adjudication: Adjudication | null;
}

export interface DebateView {
  readonly task_id: string;
  readonly module_ref: string;
  /** The locked contract it is stored under. */
  readonly debate: string;
  readonly rounds: readonly RoundView[];
}

/** The debates about the modules of a task, or about one module, in the order of planning. */
export async function debatesOf(
  documents: Pick<Documents, "list" | "find">,
  named: { readonly task?: string; readonly module?: string },
): Promise<DebateView[]> {
  const views: DebateView[] = [];
  for (const { plan, contracts, contract_refs } of await documents.list(lockedPlanKind)) {
    const task_id = idOf(plan.parent_task_ref);
    if (named.task !== undefined && named.task !== task_id) continue;
    for (const [index, { module_id, module_version }] of contracts.entries()) {
      if (named.module !== undefined && named.module !== module_id) continue;
      const debate = idOf(contract_refs[index] ?? "");
      views.push({ task_id, module_ref: `${module_id}@${module_version}`, debate, rounds: await roundsOf(documents, debate) });
    }
  }
  return views;
}

async function roundsOf(documents: Pick<Documents, "find">, debate: string): Promise<RoundView[]> {
  const rounds: RoundView[] = [];
  for (let round = 1; ; round++) {
    const proposal = await documents.find(debateFileKind, debateEntry(debate, round, "proposal.json"));
    if (proposal === null) return rounds;
    const body = async (file: "challenge.json" | "witnesses.json" | "adjudication.json") =>
      (await documents.find(debateFileKind, debateEntry(debate, round, file)))?.body ?? null;
    rounds.push({
      round,
      run: proposal.run,
      proposal: proposal.body as Proposal,
      challenge: (await body("challenge.json")) as Challenge | null,
      witnesses: ((await body("witnesses.json")) ?? []) as Witnessed[],
      adjudication: (await body("adjudication.json")) as Adjudication | null,
    });
  }
}
