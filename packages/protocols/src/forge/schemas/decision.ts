import { z } from "zod";
import { confidence, risk, type ConfidenceLevel } from "./enums.ts";
import { alternativeId, decisionId, line, list, text, time, uniqueBy } from "./fields.ts";

export const CONFIDENCE_DEFINITIONS: Readonly<Record<ConfidenceLevel, string>> = {
  High: "Every alternative was judged on clear evidence, reversal costs little, and comparable patterns exist in the repository.",
  Medium: "Some uncertainty remains: the choice rests on reasonable inference, and reversal has a moderate cost.",
  Low: "Much is uncertain: the evidence is limited, reversal costs much, and the choice is to be revisited after implementation.",
};

const alternative = z.object({ id: alternativeId, label: line, description: text, pros: list(text), cons: list(text) });

const answered = {
  id: decisionId,
  title: line,
  context: text,
  alternatives: list(alternative, 1).superRefine(uniqueBy(({ id }) => id, "alternative")),
  selected: z.string(),
  rationale: text,
  confidence,
};
const classified = { risk_classification: risk };

type Selection = { readonly selected: string; readonly alternatives: readonly { readonly id: string }[] };

function selectedExists({ selected, alternatives }: Selection, context: z.core.$RefinementCtx<Selection>) {
  if (alternatives.some(({ id }) => id === selected)) return;
  const ids = alternatives.map(({ id }) => id).join(", ");
  context.addIssue({ code: "custom", path: ["selected"], message: `selects ${JSON.stringify(selected)}, which is none of ${ids}` });
}

/** A decision as a role answers it. Date, author and the definition of the confidence are the harness's. */
const answeredDecision = z.object({ ...answered, ...classified }).superRefine(selectedExists);
export type AnsweredDecision = z.output<typeof answeredDecision>;

export const decisionRecord = z
  .object({ ...answered, confidence_definition: text, ...classified, date: time, decided_by: line })
  .superRefine(selectedExists);
export type DecisionRecord = z.output<typeof decisionRecord>;

/** No id twice. */
export const answeredDecisions = (minimum: number) => list(answeredDecision, minimum).superRefine(uniqueBy(({ id }) => id, "decision"));
export const decisionRecords = (minimum: number) => list(decisionRecord, minimum).superRefine(uniqueBy(({ id }) => id, "decision"));

export function recordOf(decision: AnsweredDecision, date: string, decidedBy: string): DecisionRecord {
  const { risk_classification, ...rest } = decision;
  const confidence_definition = CONFIDENCE_DEFINITIONS[decision.confidence];
  return { ...rest, confidence_definition, risk_classification, date, decided_by: decidedBy };
}
