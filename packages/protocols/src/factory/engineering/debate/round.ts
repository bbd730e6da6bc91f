import type { Round } from "../context.ts";
import type { Inspection } from "../inspection.ts";
import type { InterfaceChange } from "../interface-change.ts";
import type { RoundRecord } from "../ports.ts";
import { ship, type Shipment } from "../ship.ts";
import { adjudicate } from "./adjudicate.ts";
import { inspectAmended, refused } from "./inspect-amended.ts";
import { challenge, type ChallengeOutcome } from "./challenge.ts";
import type { Debate, ModuleOutcome } from "./debate.ts";
import { failureOf, NOTHING_YET, shipObjection, unappliedObjections, type LastFailure } from "./failure.ts";
import { inspectProposal } from "./inspect-proposal.ts";
import { amend, propose, type Proposed, type Revision } from "./propose.ts";
import { raise } from "./raise.ts";
import { afterAdjudication, afterChallenge, afterFailure, MAX_REVISIONS, type DebateRoute } from "./rules.ts";
import { TASK_STEPS } from "../../steps.ts";
import type { Adjudication, Objection } from "./schemas.ts";
import { standingObjections } from "./witness.ts";

/** The position of a round in its debate. Only the routing reads it; no prompt contains it. */
export interface DebateTurn {
  readonly round: number;
  readonly retryCount: number;
  readonly revision: Revision;
  /** A person's deliverable, used instead of the Proposer's. */
  readonly given: Proposed | null;
}

/** How a round ends: with the outcome of the debate, or with a revision. */
export type DebateEnd = { readonly over: ModuleOutcome } | { readonly over: null; readonly revision: Revision };

/** Propose, challenge, route; revise or adjudicate; ship or halt. */
export async function playRound(debate: Debate, turn: DebateTurn): Promise<DebateEnd> {
  const { run, brief, rounds } = debate;
  const { round, retryCount, revision, given } = turn;
  const outcome = given === null ? await propose(run, debate, round, revision) : ({ kind: "proposed", proposed: given } as const);
  if (outcome.kind === "exception")
    return over({ status: "exception", raised: outcome.raised, exception_id: outcome.exception_id, rounds });
  if (outcome.kind === "none") {
    const objections = [{ invariant: "proposal", evidence: outcome.problem, required_change: "Return a valid proposal." }];
    if ((await route(debate, turn, afterFailure(retryCount))) === "halt") {
      return halt(debate, "no valid proposal was made", objections, NOTHING_YET);
    }
    return { over: null, revision: { ...revision, objections: { ref: null, failures: objections } } };
  }
  const { proposed } = outcome;
  await keepFiles(debate, round, "proposal", { "proposal.json": proposed.proposal });
  const inspection = await inspectProposal(debate, round, proposed);
  const challenged = await challenge(run, brief, round, proposed, inspection, rounds);
  if (challenged.kind === "exception")
    return over({ status: "exception", raised: challenged.raised, exception_id: challenged.exception_id, rounds });
  return decide(debate, turn, { proposed, inspection, challenged });
}

interface Challenged {
  readonly proposed: Proposed;
  readonly inspection: Inspection;
  readonly challenged: Extract<ChallengeOutcome, { kind: "challenged" }>;
}

/** Routes a round after the challenge and its witnesses. */
async function decide(debate: Debate, turn: DebateTurn, { proposed, inspection, challenged }: Challenged): Promise<DebateEnd> {
  const { run, brief, rounds } = debate;
  const { round, retryCount } = turn;
  const { challenge: recorded, witnesses, verdict, ref } = challenged;
  const last: LastFailure = { ...NOTHING_YET, proposed, inspection };
  const current: Round = {
    proposal: proposed.proposal,
    proposalRef: proposed.proposalRef,
    challenge: recorded,
    challengeRef: ref,
    witnesses,
    adjudication: null,
  };
  await keepFiles(debate, round, "challenge", { "challenge.json": recorded, "witnesses.json": witnesses });
  const standing = standingObjections(recorded.failures, witnesses);
  const upheld = witnesses.filter(({ standing: how }) => how === "upheld");
  debate.upheld.push(...upheld.flatMap(({ failure_index }) => recorded.failures[failure_index]?.witness ?? []));
  const revised = (objections: readonly Objection[]): DebateEnd => ({
    over: null,
    revision: { files: proposed.files, follows: proposed.implementation.ref, objections: { ref, failures: objections } },
  });

  const defect = verdict === "FAIL" ? standing.find(({ plan_level }) => plan_level !== undefined) : undefined;
  if (defect?.plan_level !== undefined) {
    rounds.push(current);
    const failure = failureOf(brief, "the plan prevents it", [defect], rounds, last);
    return over({ status: "plan_defect", failure, recommendation: defect.plan_level });
  }
  if ((await route(debate, turn, afterChallenge(verdict, retryCount))) === "revise") {
    rounds.push(current);
    return revised(standing);
  }
  const decided = await adjudicate(run, brief, round, proposed, current, rounds, { verdict, retryCount });
  if (!decided.ok) {
    rounds.push(current);
    return halt(debate, `no valid adjudication was made: ${decided.problem}`, standing, last);
  }
  const { adjudication, ref: adjudicationRef } = decided;
  rounds.push({ ...current, adjudication });
  await keepFiles(debate, round, "adjudication", { "adjudication.json": adjudication });
  const next = await route(debate, turn, afterAdjudication(adjudication.decision, retryCount));
  if (next === "ship") return deliver(debate, turn, { ...last, proposed }, ref, null);
  if (next === "halt") return halt(debate, "the Arbiter rejected it and no revision is left", standing, last);
  if (next === "revise") {
    const ground = { to: "DRAFT", revisionsLeft: MAX_REVISIONS - retryCount } as const;
    await run.keep(`${brief.contract.module_id}/rejected:${round}`, (call) =>
      run.services.store.artifacts.change(call, { artifact_id: proposed.implementation.id, ground }),
    );
    const reason = { invariant: "adjudication", evidence: adjudication.rationale, required_change: "Answer the reason for the rejection." };
    return revised([...standing, reason]);
  }
  return deliver(debate, turn, { ...last, proposed }, ref, { ref: adjudicationRef, value: adjudication });
}

/** Ships the approved deliverable after its amendments, if any. The ship step can still refuse it. */
async function deliver(
  debate: Debate,
  turn: DebateTurn,
  last: LastFailure & { readonly proposed: Proposed },
  challengeRef: string,
  amendments: { readonly ref: string; readonly value: Adjudication } | null,
): Promise<DebateEnd> {
  const { run, brief } = debate;
  const { proposed } = last;
  const { implementation, contextPack } = proposed;
  let upstream = proposed.upstream_change;
  let shipment: Shipment = { files: proposed.files, implementation, contextPack, amended: false };
  if (amendments !== null) {
    const amended = await amend(run, debate, turn.round, proposed, amendments);
    const unapplied =
      "problem" in amended
        ? refused(amendments.value, amended.problem)
        : await inspectAmended(debate, turn.round, amendments.value, proposed, amended);
    if (unapplied.length > 0 || "problem" in amended) {
      return halt(debate, "an amendment was not applied", unappliedObjections(unapplied), { ...last, unapplied });
    }
    shipment = { ...shipment, files: amended.files, amended: true };
    upstream = amended.upstream_change ?? upstream;
  }
  const shipping = await ship(run, brief, turn.round, shipment);
  if (shipping.ok) return over({ status: "shipped", shipped: shipping.shipped });
  if (shipping.kind === "fingerprint" && upstream !== undefined) {
    const raised = await raiseAtShip(debate, turn.round, shipment, upstream);
    if (raised.ok) return over({ status: "exception", ...raised, rounds: debate.rounds });
  }
  const objections = [shipObjection(shipping)];
  if ((await route(debate, turn, afterFailure(turn.retryCount))) === "halt")
    return halt(debate, shipping.message, objections, { ...last, shipping });
  return {
    over: null,
    revision: { files: shipment.files, follows: implementation.ref, objections: { ref: challengeRef, failures: objections } },
  };
}

/** The surface differs from the locked one and the Proposer named the contract that causes it: raise the exception; the task halts. */
function raiseAtShip({ run, brief }: Debate, round: number, { implementation, contextPack }: Shipment, upstream: InterfaceChange) {
  const step = `${brief.contract.module_id}/ship:${round}`;
  const played = { by: { role: "ship", run_id: run.call(step).operationId }, contextPack } as const;
  return raise(run, step, { played, artifact_ref: implementation.ref }, upstream);
}

function over(outcome: ModuleOutcome): DebateEnd {
  return { over: outcome };
}

function halt({ brief, rounds }: Debate, reason: string, objections: readonly Objection[], last: LastFailure): DebateEnd {
  return over({ status: "failed", failure: failureOf(brief, reason, objections, rounds, last) });
}

/** Recorded with the retry count it was decided on. */
async function route<N extends DebateRoute>({ run, brief }: Debate, { round, retryCount }: DebateTurn, next: N): Promise<N> {
  const step = TASK_STEPS.route.named(brief.contract.module_id, round, next);
  await run.ctx.step(step, async () => ({ round, retry_count: retryCount, next }));
  return next;
}

/** Writes into the folder of this round, so that no earlier round is overwritten. */
function keepFiles({ run, brief }: Debate, round: number, what: string, files: RoundRecord["files"]): Promise<null> {
  const debate = brief.contractRef.slice(0, brief.contractRef.indexOf("@"));
  return run.keep(`${brief.contract.module_id}/round:${round}:${what}`, async (call) => {
    await run.services.store.keepRound(call, { debate, round, files });
    return null;
  });
}
