import { SlipwayError } from "@slipway/durable/errors";
import type { CodeIndex, IndexCall } from "../code-index/code-index.ts";
import { refOf, splitRef, type CodeIndexEntry, type NewEntry } from "../code-index/entry.ts";
import type { ShipEvidence } from "@slipway/languages/contracts/evidence";
import type { Contract } from "@slipway/languages/contracts/schema";
import { candidateFor, type Candidate } from "./candidate.ts";
import type { ContractDelta, InterfaceChangeException } from "./schema.ts";

/** One round at first, and two revisions. */
export const MAX_ROUNDS = 3;

/** What the debate has to settle about a changed contract. */
export const QUESTIONS_OF_DEBATE = [
  "Is the new contract well formed and consistent in itself?",
  "Does the evidence of the exception justify the change?",
  "Is what it says of compatibility true for the consumers there are?",
] as const;

export interface DebateRound {
  readonly decision: "APPROVE" | "REJECT";
  readonly rationale: string;
  /** Proposal, challenge and adjudication as they were recorded. */
  readonly record: unknown;
  /** What the Proposer makes of the objections, for the next round. */
  readonly revised?: ContractDelta;
}

export interface Impact {
  /** Versions of modules that use the contract as it is. */
  readonly consumers: readonly string[];
  /** Those that would have to change, should the new contract break them. */
  readonly broken: readonly string[];
}

export interface ResolvePorts {
  /** Remembers what a body gave, under a name. */
  readonly step: <T>(name: string, body: () => Promise<T>) => Promise<T>;
  readonly contractOf: (ref: string) => Promise<Contract | null>;
  readonly dependentsOf: (ref: string) => Promise<readonly Pick<CodeIndexEntry, "module_id" | "version">[]>;
  readonly debateRound: (round: {
    readonly number: number;
    readonly exception: InterfaceChangeException;
    readonly candidate: Candidate;
    readonly impact: Impact;
    readonly questions: readonly string[];
    readonly earlier: readonly DebateRound[];
  }) => Promise<DebateRound>;
  /** Puts the agreed contract and its debate into the new version's folder. */
  readonly openVersion: (candidate: Candidate, rounds: readonly DebateRound[]) => Promise<void>;
}

export type Resolution =
  | { readonly kind: "agreed"; readonly module_ref: string; readonly candidate: Candidate; readonly rounds: readonly DebateRound[] }
  | { readonly kind: "not_agreed"; readonly rounds: readonly DebateRound[]; readonly reason: string }
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

/** validate, assess impact, propose change, then debate round and check resolved in turns, finalize. */
export async function resolveException(exception: InterfaceChangeException, ports: ResolvePorts): Promise<Resolution> {
  const { step } = ports;
  const { exception_id, target_module } = exception;
  const current = await step(`${exception_id}:validate`, () => ports.contractOf(target_module));
  if (current === null) return { kind: "invalid", problems: [`${target_module} has no contract in the state store.`] };
  const consumers = await step(`${exception_id}:assess_impact`, async () => (await ports.dependentsOf(target_module)).map(refOf));

  const rounds: DebateRound[] = [];
  let delta = exception.proposed_contract_delta;
  for (let number = 1; number <= MAX_ROUNDS; number++) {
    const candidacy = candidateFor(current, { ...exception, proposed_contract_delta: delta });
    if (!candidacy.ok) return { kind: "invalid", problems: candidacy.problems };
    const { candidate } = candidacy;
    const impact = { consumers, broken: candidate.found === "BREAKING" ? consumers : [] };
    const asked = { number, exception, candidate, impact, questions: QUESTIONS_OF_DEBATE, earlier: [...rounds] };
    const round = await step(`${exception_id}:debate_round:${number}`, () => ports.debateRound(asked));
    rounds.push(round);
    if (isResolved(round, candidate)) {
      await step(`${exception_id}:finalize`, () => ports.openVersion(candidate, rounds));
      return { kind: "agreed", module_ref: `${candidate.contract.module_id}@${candidate.contract.module_version}`, candidate, rounds };
    }
    delta = round.revised ?? delta;
  }
  const last = rounds.at(-1)?.rationale ?? "";
  return { kind: "not_agreed", rounds, reason: `No agreement on ${exception_id} in ${MAX_ROUNDS} rounds. ${last}`.trim() };
}

/** A promise of compatibility that is plainly false is not made true by an approval. */
export function isResolved({ decision }: Pick<DebateRound, "decision">, { claim_holds }: Pick<Candidate, "claim_holds">): boolean {
  return decision === "APPROVE" && claim_holds;
}

/**
 * The new version into the index and the old one out of use, once the new one has evidence of its own. The old one keeps its place
 * until then: nobody is sent to a module that is not there.
 */
export async function registerSuccessor(
  index: Pick<CodeIndex, "append" | "retire">,
  call: IndexCall,
  {
    exception,
    ship,
    entry,
  }: { readonly exception: InterfaceChangeException; readonly ship: ShipEvidence | null; readonly entry: NewEntry },
): Promise<{ readonly module_ref: string }> {
  const module_ref = refOf(entry);
  const { module_id } = splitRef(exception.target_module);
  const shipped = ship?.verification.result === "PASS" && ship.module_id === entry.module_id && ship.module_version === entry.version;
  if (!shipped || entry.module_id !== module_id) throw notShipped(module_ref, exception.target_module);
  await index.append({ ...call, operationId: `${call.operationId}/append` }, entry);
  await index.retire(
    { ...call, operationId: `${call.operationId}/retire` },
    {
      module_ref: exception.target_module,
      status: "SUPERSEDED",
      superseded_by: module_ref,
      note: `Superseded by ${module_ref}, which ${exception.exception_id} asked for: ${exception.reason}`,
    },
  );
  return { module_ref };
}

function notShipped(ref: string, target: string): SlipwayError {
  return new SlipwayError("policy_violation", `${ref} cannot take the place of ${target}: it has no passing ship evidence of its own.`, {
    module_ref: ref,
    target_module: target,
    suggested_next_actions: ["Ship the new version first; its tests and its fingerprint decide."],
  });
}
