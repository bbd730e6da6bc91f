import { digestOf } from "@slipway/durable/canonical";
import { moduleRefOf, type ModuleBrief } from "../brief.ts";
import { challengerContext, type Round } from "../context.ts";
import type { Finding, Inspection } from "../inspection.ts";
import type { InterfaceChange } from "../interface-change.ts";
import { contribute, json, keepMade, play, type Played } from "../record.ts";
import { shownAs } from "../shown-as.ts";
import type { EngineeringSite } from "../site.ts";
import { checkChallenge, MAX_COMPLIANCE_RETRIES, mildReview } from "./compliance.ts";
import type { Proposed } from "./propose.ts";
import { contributeRaised, raise } from "./raise.ts";
import type { Verdict } from "./rules.ts";
import { challengeAnswerSchema, challengeSchema, type Challenge, type ChallengeAnswer } from "./schemas.ts";
import { hearWitnesses, standingObjections, type Witnessed } from "./witness.ts";

const challengeAnswer = shownAs(challengeAnswerSchema);

export const CHALLENGER_INSTRUCTIONS = "Return your challenge of this proposal.";

export type ChallengeOutcome =
  | {
      readonly kind: "challenged";
      readonly challenge: Challenge;
      readonly ref: string;
      readonly witnesses: readonly Witnessed[];
      readonly verdict: Verdict;
    }
  | { readonly kind: "exception"; readonly raised: InterfaceChange; readonly exception_id: string };

/** One challenge that meets the standard, or FAIL; with the harness's own findings, and what came of every witness. */
export async function challenge(
  site: EngineeringSite,
  brief: ModuleBrief,
  round: number,
  proposed: Proposed,
  inspection: Inspection,
  rounds: readonly Round[],
): Promise<ChallengeOutcome> {
  const { module_id } = brief.contract;
  const step = `${module_id}/challenge:${round}`;
  const { answer, played } = await compliantAnswer(site, step, brief, round, proposed, inspection, rounds);
  if (answer.interface_change !== undefined) {
    const raised = answer.interface_change;
    const outcome = await raise(site, step, { played, artifact_ref: proposed.implementation.ref }, raised);
    if (outcome.ok) {
      await contributeRaised(site, step, played, "CHALLENGE", raised, outcome);
      return { kind: "exception", ...outcome };
    }
  }
  const { interface_change: _, ...said } = withFindings(answer, inspection.findings);
  const draft = { target_artifact_id: proposed.implementation.id, ...said };
  const kept = await keepMade(site, `${step}:kept`, played, {
    type: "CHALLENGE",
    contribution: "CHALLENGE",
    body: { "challenge.json": json(draft) },
    inputs: [{ ref: proposed.implementation.ref, purpose: "what is challenged" }],
  });
  const challenged = challengeSchema.parse({ challenge_id: kept.id, ...draft });
  await site.keep(`${step}:status`, (call) =>
    site.shop.store.artifacts.change(call, { artifact_id: proposed.implementation.id, ground: { to: "CHALLENGED", challenge: kept.ref } }),
  );
  const witnesses = await site.ctx.step(`${step}:witnesses`, (signal) =>
    hearWitnesses(site.shop, brief, proposed.files, challenged.failures, inspection.findings, signal),
  );
  return { kind: "challenged", challenge: challenged, ref: kept.ref, witnesses, verdict: effectiveVerdict(challenged, witnesses) };
}

interface Answered {
  readonly answer: ChallengeAnswer;
  readonly played: Pick<Played<unknown>, "by" | "contextPack">;
}

async function compliantAnswer(
  site: EngineeringSite,
  step: string,
  brief: ModuleBrief,
  round: number,
  proposed: Proposed,
  inspection: Inspection,
  rounds: readonly Round[],
): Promise<Answered> {
  const { task } = site;
  const { proposal, proposalRef, files } = proposed;
  const citable = { contract: brief.contract, tests: inspection.summary.map(({ name }) => name) };
  const used = brief.dependencies.map(moduleRefOf);
  const outOfUse = used.length === 0 ? [] : await site.ctx.step(`${step}:out-of-use`, () => site.shop.index.outOfUse(used));
  let complaint: readonly string[] | null = null;
  for (let attempt = 0; ; attempt++) {
    const name = attempt === 0 ? step : `${step}-${attempt + 1}`;
    const played: Played<unknown> = await play(site, {
      step: name,
      role: "challenger",
      subject: brief.contract.module_id,
      attempt: attempt === 0 ? String(round) : `${round}-${attempt + 1}`,
      context: challengerContext({ task, brief, proposal, proposalRef, files, inspection, rounds, complaint, outOfUse }),
      instructions: CHALLENGER_INSTRUCTIONS,
      schema: challengeAnswer,
    });
    const value = played.reply.ok ? played.reply.value : null;
    const checked = checkChallenge(value, citable);
    if (checked.ok) return { answer: checked.answer, played };
    complaint = played.reply.ok ? checked.problems : [played.reply.failure.message];
    if (attempt === MAX_COMPLIANCE_RETRIES) return { answer: mildReview(complaint, checked.answer), played };
    await contribute(site, name, played.by, played.contextPack, "CHALLENGE", `refused:${digestOf(value)}`);
  }
}

/** What the harness found is no matter of opinion: it goes into the challenge, whatever the Challenger thought of it. */
export function withFindings(answer: ChallengeAnswer, findings: readonly Finding[]): ChallengeAnswer {
  if (findings.length === 0) return answer;
  return {
    ...answer,
    verdict: "FAIL",
    failures: [
      ...answer.failures,
      ...findings.map(({ invariant, evidence, required_change }) => ({ invariant, evidence, required_change })),
    ],
    rubric_assessments: answer.rubric_assessments.map((one) => {
      const found = findings.filter(({ criterion }) => criterion === one.criterion);
      if (found.length === 0) return one;
      return { ...one, assessment: "NOT_MET", evidence: `found by the harness: ${found.map(({ evidence }) => evidence).join("; ")}` };
    }),
  };
}

/** A FAIL of which no objection is left has been refuted. */
export function effectiveVerdict({ verdict, failures }: Pick<Challenge, "verdict" | "failures">, witnesses: readonly Witnessed[]): Verdict {
  return verdict === "FAIL" && standingObjections(failures, witnesses).length === 0 ? "PASS" : verdict;
}
