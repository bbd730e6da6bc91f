import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Records } from "@slipway/kernel/record/storage";
import { decisionLogKind, statusOf } from "../exceptions/decisions.ts";
import { exceptionKind } from "../exceptions/schema.ts";
import { escalationKind } from "../escalation/schema.ts";
import { lockedPlanKind } from "../record-kinds.ts";
import { openFactoryStores } from "../stores.ts";
import { debatesOf, type DebateView, type RoundView } from "../views/debates.ts";

/** Facts about a factory run besides its release, all read from the records. */
export type FactoryFact =
  | { readonly fact: "revised"; readonly module_ref: string; readonly objection: string }
  | { readonly fact: "refuted"; readonly module_ref: string; readonly witness: string }
  | { readonly fact: "amended"; readonly module_ref: string; readonly amendments: readonly string[] }
  | { readonly fact: "reused"; readonly module_ref: string; readonly task_id: string }
  | { readonly fact: "contract_changed"; readonly exception_id: string; readonly from: string; readonly to: string; readonly by: string }
  | { readonly fact: "halted"; readonly task_id: string; readonly why: string; readonly resolution: string; readonly by: string };

export async function factoryStory(records: Records): Promise<FactoryFact[]> {
  const { documents } = openFactoryStores(records);
  const debates = await debatesOf(documents, {});
  return [...debates.flatMap(ofDebate), ...(await reuses(documents)), ...(await contractChanges(documents)), ...(await halts(documents))];
}

export function factInWords(fact: FactoryFact): string {
  switch (fact.fact) {
    case "revised":
      return `${fact.module_ref} failed its first challenge and was revised; the witness: ${fact.objection}`;
    case "refuted":
      return `${fact.module_ref}: an objection was run by the harness and refuted; the witness: ${fact.witness}`;
    case "amended":
      return `${fact.module_ref} was approved with amendments, which were applied and checked: ${fact.amendments.join("; ")}`;
    case "reused":
      return `${fact.task_id} reuses ${fact.module_ref} from the code index instead of building it again`;
    case "contract_changed":
      return `${fact.from} was not sufficient (${fact.exception_id}); ${fact.by} approved the change, and ${fact.to} was debated, built and replaced it`;
    case "halted":
      return `${fact.task_id} halted: ${fact.why}; ${fact.by} answered ${fact.resolution}, and it was built`;
  }
}

/** Debates that ended in shipping; others are reported as halts. */
function ofDebate({ module_ref, rounds }: DebateView): FactoryFact[] {
  const last = rounds.at(-1)?.adjudication;
  if (last === null || last === undefined || last.decision === "REJECT") return [];
  const upheld = rounds.slice(0, -1).flatMap((round) => witnessesOf(round, "upheld"));
  const refuted = rounds.flatMap((round) => witnessesOf(round, "refuted"));
  const amendments = last.amendments.map(({ action, target }) => `${action} ${target}`);
  return [
    ...upheld.map((objection): FactoryFact => ({ fact: "revised", module_ref, objection })),
    ...refuted.map((witness): FactoryFact => ({ fact: "refuted", module_ref, witness })),
    ...(amendments.length === 0 ? [] : [{ fact: "amended" as const, module_ref, amendments }]),
  ];
}

function witnessesOf({ challenge, witnesses }: RoundView, standing: string): string[] {
  return witnesses
    .filter((witness) => witness.standing === standing)
    .map(({ failure_index }) => challenge?.failures[failure_index]?.witness?.name ?? "");
}

async function reuses(documents: Documents): Promise<FactoryFact[]> {
  return (await documents.list(lockedPlanKind)).flatMap(({ plan }) =>
    plan.modules
      .filter(({ reuse_decision }) => reuse_decision === "REUSE")
      .map(({ reuse_candidate_refs, module_id }): FactoryFact => {
        const task_id = plan.parent_task_ref.slice(0, plan.parent_task_ref.indexOf("@"));
        return { fact: "reused", module_ref: reuse_candidate_refs[0] ?? module_id, task_id };
      }),
  );
}

async function contractChanges(documents: Documents): Promise<FactoryFact[]> {
  const logs = new Map((await documents.list(decisionLogKind)).map((log) => [log.exception_id, log]));
  return (await documents.list(exceptionKind)).flatMap(({ exception_id, target_module }): FactoryFact[] => {
    const log = logs.get(exception_id);
    const last = log?.entries.at(-1);
    if (log === undefined || last === undefined || statusOf(log) !== "RESOLVED") return [];
    return [{ fact: "contract_changed", exception_id, from: target_module, to: last.note, by: nameOf(last.by) }];
  });
}

async function halts(documents: Documents): Promise<FactoryFact[]> {
  return (await documents.list(escalationKind)).flatMap(({ task_id, details, failed_invariants, resolution }): FactoryFact[] => {
    if (resolution === undefined || details?.["halted_by"] === "interface_change") return [];
    const why = failed_invariants[0]?.evidence ?? "";
    return [{ fact: "halted", task_id, why, resolution: resolution.action, by: nameOf(resolution.by) }];
  });
}

function nameOf(by: string): string {
  return by.replace(/^person:/, "");
}
