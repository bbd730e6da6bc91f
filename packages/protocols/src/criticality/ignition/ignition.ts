import type { CriticalityRun } from "../criticality-run.ts";
import { putSpec } from "../spec/put-spec.ts";
import type { SystemSpec } from "../spec/schema.ts";
import { askApproval, type ApprovalOutcome } from "./approval.ts";
import { appendDecisions, endDelegations, ledgerText } from "./decisions.ts";
import { runInterview } from "./interview.ts";
import { firstState, reopened, type InterviewState } from "./interview-state.ts";
import { sectionsKept, type SpecProposal } from "./proposal.ts";
import { archiveInterview, archiveRejected, proposalPath, putDecision, putProposal } from "./proposal-files.ts";
import type { InterviewPhase } from "./questions.ts";
import { synthesize, type SpecRevisionRequest, type SpecSynthesis } from "./synthesize.ts";

/** What a phase of the protocol hands to Ignition when it returns there. */
export interface IgnitionReentry {
  /** Counts the entries into Ignition; the first return is 2. */
  readonly ignition: number;
  readonly phase: InterviewPhase;
  readonly report: string;
  readonly spec: SystemSpec;
}

export interface IgnitionInput {
  readonly project: string;
  /** What the person said when the run was started. */
  readonly idea: string | null;
  readonly reentry: IgnitionReentry | null;
}

export interface IgnitionResult {
  readonly spec: SystemSpec;
  readonly specText: string;
  readonly claimsText: string;
  readonly delegated: boolean;
}

/** The sub-states of Ignition with their data. */
export type IgnitionSubState =
  | ({ readonly name: "interviewing" } & Pick<
      InterviewState,
      "interviewPhase" | "questionIndex" | "extractedRequirements" | "delegatedAfter"
    >)
  | {
      readonly name: "synthesizing";
      readonly proposalVersion: number;
      readonly architectResponse: string | null;
      readonly auditorResponse: string | null;
    }
  | { readonly name: "awaitingApproval"; readonly proposalPath: string; readonly presentedAt: string };

/** Called when a sub-state is entered or its data changes. */
export type EnterSubState = (state: IgnitionSubState) => Promise<void>;

export type IgnitionRun = Pick<CriticalityRun, "ctx" | "files" | "ledger" | "askModel" | "now">;

/** The input of the next proposal: the interview so far, and what it revises. */
export type IgnitionData = SpecSynthesis;

/** `entry` counts the entries into Ignition, as `reentry` does. */
export function startOfIgnition({ reentry, ...about }: IgnitionInput, entry = 1): IgnitionData {
  const round = { ignition: entry, interview: 1 };
  if (reentry === null) return { state: firstState(about, round), version: 1, finished: null, revision: null };
  const { ignition, phase, report, spec } = reentry;
  const again = reopened(firstState({ ...about, idea: null }, { ignition, interview: 1 }), phase, report);
  const revision: SpecRevisionRequest = { spec, kept: sectionsKept(phase), reason: { kind: "contradiction report", text: report } };
  return { state: again, version: 1, finished: spec, revision };
}

export async function interviewing(run: IgnitionRun, data: IgnitionData, enter: EnterSubState): Promise<IgnitionData> {
  const state = await runInterview(run, data.state, ({ interviewPhase, questionIndex, extractedRequirements, delegatedAfter }) =>
    enter({ name: "interviewing", interviewPhase, questionIndex, extractedRequirements, delegatedAfter }),
  );
  return { ...data, state };
}

export interface ProposedData extends IgnitionData {
  readonly proposal: SpecProposal;
}

export async function synthesizing(run: IgnitionRun, data: IgnitionData, enter: EnterSubState): Promise<ProposedData> {
  const proposalVersion = data.version;
  await enter({ name: "synthesizing", proposalVersion, architectResponse: null, auditorResponse: null });
  const proposal = await synthesize(run, data, (responses) => enter({ name: "synthesizing", proposalVersion, ...responses }));
  putProposal(run.files, proposal);
  return { ...data, proposal };
}

export type ApprovalNext =
  { readonly to: "lattice"; readonly result: IgnitionResult } | { readonly to: "interviewing"; readonly data: IgnitionData };

export async function awaitingApproval(run: IgnitionRun, data: ProposedData, enter: EnterSubState): Promise<ApprovalNext> {
  const { state, proposal, finished } = data;
  const { round } = state;
  const name = `approval:${round.ignition}.${round.interview}:v${proposal.version}`;
  const presentedAt = new Date(await run.now(`${name}:presented`)).toISOString();
  await enter({ name: "awaitingApproval", proposalPath: proposalPath(proposal.version), presentedAt });
  await run.files.flush();
  const outcome = await askApproval(run, proposal, round);
  putDecision(run.files, proposal, outcome, await run.now(`${name}:decided`));
  if (outcome.decision === "revise") return { to: "interviewing", data: revised(data, outcome) };
  if (outcome.decision === "reject") {
    archiveRejected(run.files, round);
    await endDelegations(run, name);
    await run.files.flush();
    const again = firstState(state, { ...round, interview: round.interview + 1 }, state.turn);
    return { to: "interviewing", data: { state: again, version: 1, finished, revision: null } };
  }
  await recordApproval(run, name, data, outcome);
  const printed = putSpec(run.files, "ignition", proposal.spec, finished);
  archiveInterview(run.files, round);
  await run.files.flush();
  return { to: "lattice", result: { spec: proposal.spec, ...printed, delegated: state.delegatedAfter !== null } };
}

function revised({ state, proposal, finished }: ProposedData, outcome: Extract<ApprovalOutcome, { decision: "revise" }>): IgnitionData {
  const { feedback, phase, kept } = outcome;
  return {
    state: reopened(state, phase, feedback),
    version: proposal.version + 1,
    finished,
    revision: { spec: proposal.spec, kept, reason: { kind: "feedback", text: feedback } },
  };
}

/** Decisions of the architect count as the person's while they are delegated; conditions hold until a phase fails. */
async function recordApproval(run: IgnitionRun, name: string, { state, proposal }: ProposedData, outcome: ApprovalOutcome): Promise<void> {
  const confidence = state.delegatedAfter === null ? "inferred" : "delegated";
  const classified = state.features
    .filter(({ classification }) => classification === "delegated")
    .map(({ id, description }) => ({
      constraint: `The feature ${id} is ${proposal.spec.features[id]?.classification ?? "left out"}: ${ledgerText(description)}`,
      category: "architectural",
    }));
  const decided = proposal.decisions.map((one) => ({
    constraint: ledgerText(one.constraint),
    category: one.category,
    rationale: ledgerText(one.rationale),
  }));
  await appendDecisions(
    run,
    `${name}:decisions`,
    "design_decision_",
    [...decided, ...classified].map((one) => ({ ...one, source: "architect", confidence })),
  );
  if (outcome.decision !== "conditional") return;
  await appendDecisions(
    run,
    `${name}:conditions`,
    "approval_condition_",
    outcome.conditions.map((constraint) => ({
      constraint: ledgerText(constraint),
      category: "architectural",
      source: "user_explicit",
      confidence: "provisional" as const,
    })),
  );
}
