import type { PackItem } from "@slipway/agents/pack";
import type { CriticalityRun, SkillRequest } from "../criticality-run.ts";
import { printSpec } from "../spec/print-spec.ts";
import type { SpecSection, SystemSpec } from "../spec/schema.ts";
import { versionAfter } from "../spec/version.ts";
import { featuresItem, requirementItems } from "./extract-features.ts";
import type { InterviewState } from "./interview-state.ts";
import { INTERVIEW_TITLES } from "./questions.ts";
import {
  proposalAudit,
  specDraftSchema,
  specRevisionSchema,
  withClassified,
  withKept,
  type ProposalAudit,
  type ProposalChallenge,
  type SpecDraftAnswer,
  type SpecProposal,
  type SpecRevisionAnswer,
} from "./proposal.ts";

export interface SpecSynthesis {
  readonly state: InterviewState;
  /** The number of the proposal, from 1. */
  readonly version: number;
  /** The finished specification that the new one replaces. */
  readonly finished: SystemSpec | null;
  /** An earlier proposal or specification, the sections that must not change, and why the others should. */
  readonly revision: SpecRevisionRequest | null;
}

export interface SpecRevisionRequest {
  readonly spec: SystemSpec;
  readonly kept: readonly SpecSection[];
  readonly reason: { readonly kind: "feedback" | "contradiction report"; readonly text: string };
}

export type SynthesisRun = Pick<CriticalityRun, "askModel" | "now" | "ledger">;

/** Told when one of the two models has answered. */
export type OnResponse = (responses: {
  readonly architectResponse: string | null;
  readonly auditorResponse: string | null;
}) => Promise<void>;

/** The architect proposes, the auditor challenges, the architect revises. */
export async function synthesize(
  run: SynthesisRun,
  input: SpecSynthesis,
  onResponse: OnResponse = async () => undefined,
): Promise<SpecProposal> {
  const { state, version } = input;
  const { round } = state;
  const attempt = `${round.ignition}.${round.interview}.v${version}`;
  const created = new Date(await run.now(`synthesize:${attempt}:at`)).toISOString();
  const decisions = await run.ledger.constraintBlock(`synthesize:${attempt}:ledger`);
  const artifacts = synthesisItems(input, decisions);
  const ask = <T>(step: string, request: Pick<SkillRequest<T>, "skill" | "alias" | "artifacts" | "schema">) =>
    run.askModel<T>(`synthesize:${attempt}:${step}`, { ...request, phase: "ignition", subject: "spec", attempt: `${attempt}.${step}` });

  const first = await ask<SpecDraftAnswer>("propose", {
    skill: "synthesize_spec",
    alias: "architect_model",
    artifacts,
    schema: specDraftSchema,
  });
  const spec = specFrom(first, input, created);
  await onResponse({ architectResponse: printSpec(spec), auditorResponse: null });

  const audit = await ask<ProposalAudit>("audit", {
    skill: "audit_proposal",
    alias: "auditor_model",
    artifacts: [...artifacts, proposalItem(spec)],
    schema: proposalAudit,
  });
  const challenges = audit.challenges.map((challenge, index) => ({ id: `c${index + 1}`, ...challenge }));
  await onResponse({ architectResponse: printSpec(spec), auditorResponse: JSON.stringify(challenges) });
  if (challenges.length === 0) return { version, spec, rationale: first.rationale, decisions: first.decisions, challenges: [] };

  const second = await ask<SpecRevisionAnswer>("revise", {
    skill: "synthesize_spec",
    alias: "architect_model",
    artifacts: [...artifacts, proposalItem(spec), { title: "challenges", kind: "challenges", text: JSON.stringify(challenges, null, 2) }],
    schema: specRevisionSchema,
  });
  return {
    version,
    spec: specFrom(second, input, created),
    rationale: second.rationale,
    decisions: second.decisions,
    challenges: challenges.map((challenge): ProposalChallenge => {
      const response = second.responses.find((one) => one.challenge === challenge.id);
      return { ...challenge, outcome: response?.outcome ?? "unanswered", explanation: response?.explanation ?? "" };
    }),
  };
}

function specFrom({ domain, ...answer }: SpecDraftAnswer, { state, finished, revision }: SpecSynthesis, created: string): SystemSpec {
  const { system, boundaries, features, data_models, interfaces, constraints, claims } = answer;
  const drafted = { system, boundaries, features: withClassified(features, state.features), data_models, interfaces, constraints, claims };
  const sections = revision === null ? drafted : withKept(drafted, revision.spec, revision.kept);
  const spec = { meta: { version: "1.0.0", created, domain }, ...sections };
  return { ...spec, meta: { ...spec.meta, version: versionAfter(finished, spec) } };
}

/** Requirements, features and decisions in their latest form. The conversation is not among them. */
function synthesisItems({ state, revision }: SpecSynthesis, decisions: string): PackItem[] {
  const { delegatedAfter, delegationNotes } = state;
  return [
    ...requirementItems(state),
    featuresItem(state),
    { title: "decisions", kind: "ledger", text: decisions },
    ...(delegatedAfter === null ? [] : [delegationItem(INTERVIEW_TITLES[delegatedAfter].title, delegationNotes)]),
    ...(revision === null ? [] : revisionItems(revision)),
  ];
}

function delegationItem(phase: string, notes: string | null): PackItem {
  const text = `After ${phase} the person left all open decisions to you.${notes === null ? "" : `\nNotes: ${notes}`}`;
  return { title: "delegation", kind: "delegation", text };
}

function revisionItems({ spec, kept, reason }: SpecRevisionRequest): PackItem[] {
  return [
    { title: "earlier specification", kind: "spec", text: printSpec(spec) },
    { title: "sections that stay as they are", kind: "approved", text: kept.join("\n") },
    { title: reason.kind, kind: reason.kind, text: reason.text },
  ];
}

function proposalItem(spec: SystemSpec): PackItem {
  return { title: "proposal", kind: "proposal", text: printSpec(spec) };
}
