import { z } from "zod";
import { SPEC_SECTIONS, specMeta, specSections, type SpecSection, type SystemSpec } from "../spec/schema.ts";
import type { InterviewFeature } from "./interview-state.ts";
import type { InterviewPhase } from "./questions.ts";

const text = z.string().regex(/\S/, "must not be empty").max(4_000);
/** Leaves room for the syntax of TOML below the limit of a specification. */
const MAX_DRAFT_CHARACTERS = 400_000;

const decision = z.strictObject({
  constraint: text.describe("What the implementation must satisfy, in one sentence."),
  category: z.enum(["architectural", "data_model", "interface", "constraint", "testing"]),
  rationale: text.describe("Why. People read it; no model does."),
});

const draft = z.strictObject({
  domain: specMeta.shape.domain,
  ...specSections,
  decisions: z.array(decision).max(100).describe("What you decided where the requirements leave it open."),
  rationale: text.describe("Why the system has this form, in a few sentences for the person who approves it."),
});

const challenge = z.strictObject({
  section: z.enum(["system", "boundaries", "features", "data_models", "interfaces", "constraints", "claims"] satisfies SpecSection[]),
  severity: z.enum(["blocking", "warning"]),
  problem: text.describe("What is contradictory, missing or impossible to test, naming the entry."),
  suggestion: text.describe("The smallest change that repairs it."),
});

/** The architect's first answer. */
export const specDraftSchema = draft.refine(fits, `must have less than ${MAX_DRAFT_CHARACTERS} characters`);
export type SpecDraftAnswer = z.output<typeof draft>;

/** The auditor's answer; no challenge means that nothing is wrong. */
export const proposalAudit = z.strictObject({ challenges: z.array(challenge).max(50) });
export type ProposalAudit = z.output<typeof proposalAudit>;

/** The architect's second answer: the whole specification again, and what became of each challenge. */
export const specRevisionSchema = draft
  .extend({
    responses: z
      .array(
        z.strictObject({
          challenge: z.string().describe("Its id, such as c1."),
          outcome: z.enum(["accepted", "rejected"]),
          explanation: text,
        }),
      )
      .max(50),
  })
  .refine(fits, `must have less than ${MAX_DRAFT_CHARACTERS} characters`);
export type SpecRevisionAnswer = z.output<typeof specRevisionSchema>;

function fits(value: unknown): boolean {
  return JSON.stringify(value).length < MAX_DRAFT_CHARACTERS;
}

export interface ProposalChallenge extends z.output<typeof challenge> {
  readonly id: string;
  readonly outcome: "accepted" | "rejected" | "unanswered";
  readonly explanation: string;
}

/** A specification on its way to approval, with why it is as it is. */
export interface SpecProposal {
  readonly version: number;
  readonly spec: SystemSpec;
  readonly rationale: string;
  readonly decisions: readonly z.output<typeof decision>[];
  readonly challenges: readonly ProposalChallenge[];
}

/** The sections that a phase of the interview informs. A revision of the phase changes no other one. */
export const SECTIONS_OF_PHASE: Readonly<Record<InterviewPhase, readonly SpecSection[]>> = {
  discovery: ["system", "features", "data_models", "interfaces", "constraints", "claims"],
  architecture: ["boundaries", "features", "data_models", "interfaces", "claims"],
  constraints: ["boundaries", "constraints", "claims"],
  designPrefs: ["interfaces", "constraints", "claims"],
};

export function sectionsKept(phase: InterviewPhase, approved: readonly SpecSection[] = []): SpecSection[] {
  return SPEC_SECTIONS.filter((section) => approved.includes(section) || !SECTIONS_OF_PHASE[phase].includes(section));
}

type Sections = Omit<SystemSpec, "meta">;

/** Takes the kept sections from the earlier proposal, whatever the model returned for them. */
export function withKept<S extends Sections>(next: S, earlier: Sections, kept: readonly SpecSection[]): S {
  return { ...next, ...Object.fromEntries(kept.map((section) => [section, earlier[section]])) };
}

/** The person's classification holds, and no feature the person named is lost. */
export function withClassified(features: SystemSpec["features"], named: readonly InterviewFeature[]): SystemSpec["features"] {
  const entries = named.map(({ id, classification, description, affects }) => {
    const own = features[id] ?? { classification: "bolt-on" as const, description, affects };
    return [id, classification === "open" || classification === "delegated" ? own : { ...own, classification }] as const;
  });
  return { ...features, ...Object.fromEntries(entries) };
}
