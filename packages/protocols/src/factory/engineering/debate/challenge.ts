import { digestOf } from "@slipway/durable/canonical";
import { moduleRefOf, type ModuleBrief } from "../brief.ts";
import { challengerContext, type Round } from "../context.ts";
import type { InspectionFinding, Inspection } from "../inspection.ts";
import type { InterfaceChange } from "../interface-change.ts";
import { contribute, json, recordArtifact, play, type Played } from "../record.ts";
import { shownAs } from "../advisory-schema.ts";
import { TASK_STEPS } from "../../steps.ts";
import type { TaskRun } from "../task-run.ts";
import { checkChallenge, MAX_COMPLIANCE_RETRIES, mildReview } from "./compliance.ts";
import type { Proposed } from "./propose.ts";
import { contributeRaised, raise } from "./raise.ts";
import type { DebateVerdict } from "./rules.ts";
import { challengeAnswerSchema, challengeSchema, type Challenge, type ChallengeAnswer } from "./schemas.ts";
import { runWitnesses, standingObjections, type Witnessed } from "./witness.ts";

const challengeAnswer = shownAs(challengeAnswerSchema);

export const CHALLENGER_INSTRUCTIONS = "Return your challenge of this proposal.";

export type ChallengeOutcome =
  | {
      readonly kind: "challenged";
      readonly challenge: Challenge;
      readonly ref: string;
      readonly witnesses: readonly Witnessed[];
      readonly verdict: DebateVerdict;
    }
  | { readonly kind: "exception"; readonly raised: InterfaceChange; readonly exception_id: string };

/** A challenge that meets the standard, or a FAIL; includes the findings of the harness and the results of all witnesses. */
export async function challenge(
  run: TaskRun,
  brief: ModuleBrief,
  round: number,
  proposed: Proposed,
  inspection: Inspection,
  rounds: readonly Round[],
): Promise<ChallengeOutcome> {
  const { module_id } = brief.contract;
  const step = `${module_id}/challenge:${round}`;
  const { answer, played } = await compliantAnswer(run, step, brief, round, proposed, inspection, rounds);
  if (answer.interface_change !== undefined) {
    const raised = answer.interface_change;
    const outcome = await raise(run, step, { played, artifact_ref: proposed.implementation.ref }, raised);
    if (outcome.ok) {
      await contributeRaised(run, step, played, "CHALLENGE", raised, outcome);
      return { kind: "exception", ...outcome };
    }
  }
  const { interface_change: _, ...content } = withFindings(answer, inspection.findings);
  const draft = { target_artifact_id: proposed.implementation.id, ...content };
  const saved = await recordArtifact(run, `${step}:kept`, played, {
    type: "CHALLENGE",
    contribution: "CHALLENGE",
    body: { "challenge.json": json(draft) },
    inputs: [{ ref: proposed.implementation.ref, purpose: "what is challenged" }],
  });
  const challenged = challengeSchema.parse({ challenge_id: saved.id, ...draft });
  await run.keep(`${step}:status`, (call) =>
    run.services.store.artifacts.change(call, {
      artifact_id: proposed.implementation.id,
      ground: { to: "CHALLENGED", challenge: saved.ref },
    }),
  );
  const witnesses = await run.ctx.step(TASK_STEPS.witnesses.named(module_id, round), (signal) =>
    runWitnesses(run.services, brief, proposed.files, challenged.failures, inspection.findings, signal),
  );
  return { kind: "challenged", challenge: challenged, ref: saved.ref, witnesses, verdict: effectiveVerdict(challenged, witnesses) };
}

interface Answered {
  readonly answer: ChallengeAnswer;
  readonly played: Pick<Played<unknown>, "by" | "contextPack">;
}

async function compliantAnswer(
  run: TaskRun,
  step: string,
  brief: ModuleBrief,
  round: number,
  proposed: Proposed,
  inspection: Inspection,
  rounds: readonly Round[],
): Promise<Answered> {
  const { task } = run;
  const { proposal, proposalRef, files } = proposed;
  const citable = { contract: brief.contract, tests: inspection.summary.map(({ name }) => name) };
  const used = brief.dependencies.map(moduleRefOf);
  const outOfUse = used.length === 0 ? [] : await run.ctx.step(`${step}:out-of-use`, () => run.services.index.outOfUse(used));
  let complaint: readonly string[] | null = null;
  for (let attempt = 0; ; attempt++) {
    const name = attempt === 0 ? step : `${step}-${attempt + 1}`;
    const played: Played<unknown> = await play(run, {
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
    await contribute(run, name, played.by, played.contextPack, "CHALLENGE", `refused:${digestOf(value)}`);
  }
}

/** Findings of the harness are facts: they go into the challenge, whatever the Challenger says. */
export function withFindings(answer: ChallengeAnswer, findings: readonly InspectionFinding[]): ChallengeAnswer {
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

/** A FAIL whose objections were all refuted counts as PASS. */
export function effectiveVerdict(
  { verdict, failures }: Pick<Challenge, "verdict" | "failures">,
  witnesses: readonly Witnessed[],
): DebateVerdict {
  return verdict === "FAIL" && standingObjections(failures, witnesses).length === 0 ? "PASS" : verdict;
}
