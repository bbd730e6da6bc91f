import { z } from "zod";
import type { CriticalityRun } from "../criticality-run.ts";
import { SPEC_SECTIONS, type SpecSection } from "../spec/schema.ts";
import { MAX_ANSWER } from "./answers.ts";
import type { InterviewState } from "./interview-state.ts";
import { SECTIONS_OF_PHASE, sectionsKept, type SpecProposal } from "./proposal.ts";
import { proposalDocument } from "./proposal-document.ts";
import { INTERVIEW_PHASES, INTERVIEW_TITLES, type InterviewPhase } from "./questions.ts";

const said = z.string().max(MAX_ANSWER).regex(/\S/, "must not be empty");

export const approvalAnswer = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("approve") }),
  z.strictObject({
    decision: z.literal("revise"),
    feedback: said.describe("What should be different."),
    phase: z.enum(INTERVIEW_PHASES).optional(),
    approved: z.array(z.enum(SPEC_SECTIONS as [SpecSection, ...SpecSection[]])).optional(),
  }),
  z.strictObject({ decision: z.literal("reject"), reason: z.string().max(MAX_ANSWER).optional() }),
  z.strictObject({ decision: z.literal("conditional"), conditions: said.describe("One condition per line.") }),
]);

const phaseAnswer = z.strictObject({ decision: z.enum(INTERVIEW_PHASES), comment: z.string().max(MAX_ANSWER).optional() });

export type ApprovalOutcome =
  | { readonly decision: "approve" }
  | { readonly decision: "revise"; readonly feedback: string; readonly phase: InterviewPhase; readonly kept: readonly SpecSection[] }
  | { readonly decision: "reject"; readonly reason: string | null }
  | { readonly decision: "conditional"; readonly conditions: readonly string[] };

const REMIND_AFTER_MS = [60 * 60 * 1000, 24 * 60 * 60 * 1000];

/** Shows the proposal and waits for one of four decisions. A revision also needs the phase of the interview that it concerns. */
export async function askApproval(
  run: Pick<CriticalityRun, "ctx">,
  proposal: SpecProposal,
  round: InterviewState["round"],
): Promise<ApprovalOutcome> {
  const name = `approval:${round.ignition}.${round.interview}:v${proposal.version}`;
  const answer = await run.ctx.ask(name, {
    kind: "proposal_approval",
    title: `Build ${proposal.spec.system.name} from proposal ${proposal.version}?`,
    body: proposalDocument(proposal),
    options: [
      { value: "approve", label: "accept the specification and build from it" },
      { value: "revise", label: "change it: your comment is the feedback; you choose the phase of the interview next" },
      { value: "reject", label: "start over with a new interview; this one is archived" },
      { value: "conditional", label: "accept it under conditions: your comment has one per line" },
    ],
    schema: approvalAnswer,
    context: { proposal: proposal.version, spec_version: proposal.spec.meta.version },
    answerableBy: ["person"],
    remindAfterMs: REMIND_AFTER_MS,
  });
  switch (answer.decision) {
    case "approve":
      return answer;
    case "reject":
      return { decision: "reject", reason: answer.reason ?? null };
    case "conditional":
      return { decision: "conditional", conditions: linesOf(answer.conditions) };
    case "revise": {
      const { feedback, approved } = answer;
      const phase = answer.phase ?? (await askPhase(run, name, feedback));
      return { decision: "revise", feedback, phase, kept: sectionsKept(phase, approved) };
    }
  }
}

async function askPhase(run: Pick<CriticalityRun, "ctx">, name: string, feedback: string): Promise<InterviewPhase> {
  const { decision } = await run.ctx.ask(`${name}:phase`, {
    kind: "proposal_phase",
    title: "Which phase of the interview does your feedback concern?",
    body: `Your feedback:\n\n${feedback}`,
    options: INTERVIEW_PHASES.map((phase) => ({
      value: phase,
      label: `${INTERVIEW_TITLES[phase].title}; may change ${SECTIONS_OF_PHASE[phase].join(", ")}`,
    })),
    schema: phaseAnswer,
    answerableBy: ["person"],
  });
  return decision;
}

const MAX_CONDITIONS = 100;

/** One condition per line; of very many lines the last ones are one condition. */
function linesOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*[-*]\s+/, "").trim())
    .filter((line) => line !== "");
  const rest = lines.slice(MAX_CONDITIONS - 1);
  return [...lines.slice(0, MAX_CONDITIONS - 1), ...(rest.length === 0 ? [] : [rest.join("; ")])];
}
