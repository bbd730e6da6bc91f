import type { StepName } from "@slipway/durable/step-name";
import { SlipwayError } from "@slipway/agents/errors";
import type { CodeIndex, IndexCall } from "../code-index/code-index.ts";
import { refOf, splitRef, type CodeIndexEntry, type NewEntry } from "../code-index/entry.ts";
import type { ShipEvidence } from "@slipway/languages/contracts/evidence";
import type { Contract } from "@slipway/languages/contracts/schema";
import { TASK_STEPS } from "../steps.ts";
import { candidateFor, type InterfaceCandidate } from "./candidate.ts";
import type { ContractDelta, InterfaceChangeException } from "./schema.ts";

/** One round and two revisions. */
export const MAX_ROUNDS = 3;

/** The questions a debate about a changed contract must answer. */
export const QUESTIONS_OF_DEBATE = [
  "Is the new contract well formed and consistent in itself?",
  "Does the evidence of the exception justify the change?",
  "Is what it says of compatibility true for the consumers there are?",
] as const;

export interface DebateRound {
  readonly decision: "APPROVE" | "REJECT";
  readonly rationale: string;
  /** The recorded proposal, challenge and adjudication. */
  readonly record: unknown;
  /** The Proposer's revision for the next round. */
  readonly revised?: ContractDelta;
}

export interface Impact {
  /** Module versions that use the current contract. */
  readonly consumers: readonly string[];
  /** Those that the new contract would break. */
  readonly broken: readonly string[];
}

export interface ResolvePorts {
  /** Records the result of a body under a name. */
  readonly step: <T>(name: string | StepName<T>, body: () => Promise<T>) => Promise<T>;
  readonly contractOf: (ref: string) => Promise<Contract | null>;
  readonly dependentsOf: (ref: string) => Promise<readonly Pick<CodeIndexEntry, "module_id" | "version">[]>;
  readonly debateRound: (round: {
    readonly number: number;
    readonly exception: InterfaceChangeException;
    readonly candidate: InterfaceCandidate;
    readonly impact: Impact;
    readonly questions: readonly string[];
    readonly earlier: readonly DebateRound[];
  }) => Promise<DebateRound>;
  /** Writes the agreed contract and its debate into the folder of the new version. */
  readonly openVersion: (candidate: InterfaceCandidate, rounds: readonly DebateRound[]) => Promise<void>;
}

export type Resolution =
  | {
      readonly kind: "agreed";
      readonly module_ref: string;
      readonly candidate: InterfaceCandidate;
      readonly rounds: readonly DebateRound[];
    }
  | { readonly kind: "not_agreed"; readonly rounds: readonly DebateRound[]; readonly reason: string }
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

/** Validates, assesses impact, proposes the change, debates until it is resolved, finalizes. */
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
      await step(TASK_STEPS.finalize.named(exception_id), () => ports.openVersion(candidate, rounds));
      return { kind: "agreed", module_ref: `${candidate.contract.module_id}@${candidate.contract.module_version}`, candidate, rounds };
    }
    delta = round.revised ?? delta;
  }
  const last = rounds.at(-1)?.rationale ?? "";
  return { kind: "not_agreed", rounds, reason: `No agreement on ${exception_id} in ${MAX_ROUNDS} rounds. ${last}`.trim() };
}

/** An approval cannot override a claim of compatibility that is false. */
export function isResolved({ decision }: Pick<DebateRound, "decision">, { claim_holds }: Pick<InterfaceCandidate, "claim_holds">): boolean {
  return decision === "APPROVE" && claim_holds;
}

/**
 * Registers the new version and supersedes the old one, once the new one has its own evidence. Until then the old version stays in use, so
 * that the index never points to a missing module.
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
