import type { PackItem } from "@slipway/agents/pack";
import { z } from "zod";
import type { CriticalityRun } from "../criticality-run.ts";
import { featureId } from "../spec/schema.ts";
import type { InterviewAnswer } from "./apply-answer.ts";
import type { InterviewState } from "./interview-state.ts";
import type { InterviewPhase } from "./questions.ts";

const MAX_FEATURES = 100;

const said = z.string().regex(/\S/, "must not be empty");

/** What the architect finds in the answers of one phase. */
export const foundFeatures = z.strictObject({
  features: z
    .array(
      z.strictObject({
        id: featureId.describe("Short; the id of a known feature if it is the same one."),
        description: said.max(1_000).describe("One sentence."),
        future: z.boolean().describe("True if the person says that it comes later."),
        affects: z.array(said.max(200)).max(20).describe("Parts of the design that a future feature would change."),
      }),
    )
    .max(MAX_FEATURES),
});

type FoundFeatures = z.output<typeof foundFeatures>;

/** A model reads the latest answers of a phase, not the conversation. */
export async function extractFeatures(
  run: Pick<CriticalityRun, "askModel">,
  state: InterviewState,
  phase: InterviewPhase,
): Promise<InterviewAnswer> {
  const { round, turn } = state;
  const attempt = `${round.ignition}.${round.interview}.${turn}`;
  const { features } = await run.askModel<FoundFeatures>(`interview:extract:${phase}:${attempt}`, {
    phase: "ignition",
    skill: "conduct_interview",
    alias: "architect_model",
    subject: phase,
    attempt,
    artifacts: [...requirementItems(state, phase), featuresItem(state)],
    schema: foundFeatures,
  });
  const known = new Map(features.map((feature) => [feature.id, feature]));
  return {
    kind: "extracted",
    phase,
    features: [...known.values()].map(({ id, description, future, affects }) => ({
      id,
      phase,
      description,
      affects,
      classification: future ? "open" : "core",
    })),
  };
}

/** One item per requirement: what a person wants under one topic. */
export function requirementItems({ idea, extractedRequirements }: InterviewState, only: InterviewPhase | null = null): PackItem[] {
  const wanted = extractedRequirements.filter(({ phase }) => only === null || phase === only);
  return [
    ...(idea === null ? [] : [{ title: "Idea", kind: "requirement", text: idea }]),
    ...wanted.map(({ question, topic, text }) => ({ title: `${topic} (${question})`, kind: "requirement", text })),
  ];
}

export function featuresItem({ features }: InterviewState): PackItem {
  const list = features.map(({ id, classification, description, affects }) => ({ id, classification, description, affects }));
  return { title: "features", kind: "features", text: JSON.stringify(list, null, 2) };
}
