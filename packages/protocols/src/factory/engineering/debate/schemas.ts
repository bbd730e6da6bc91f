import { DECISIONS } from "../../artifacts/status.ts";
import { z } from "zod";
import { interfaceChangeSchema } from "../interface-change.ts";
import { CRITERIA } from "./rubric.ts";

const nonEmpty = z.string().regex(/\S/, "must not be empty");

export const proposalSchema = z.strictObject({
  proposal_id: nonEmpty,
  target_artifact_id: nonEmpty,
  claim: nonEmpty,
  deliverable_ref: nonEmpty,
  acceptance_checks: z.array(nonEmpty).min(1),
});
/** The Proposer's claim about a deliverable. */
export type Proposal = z.infer<typeof proposalSchema>;

const witness = z.strictObject({
  name: nonEmpty.describe("What it shows."),
  source: nonEmpty.describe("A node:test file beside tests/ that imports ../implementation/index.ts; it fails while the objection holds."),
});

const failureSchema = z.strictObject({
  invariant: nonEmpty.describe("Which promise is broken, by its place in contract or rubric."),
  evidence: nonEmpty,
  required_change: nonEmpty,
  concerns: z.enum(["behaviour", "document"]).optional().describe("behaviour unless it is about what is written down."),
  witness: witness.optional(),
  plan_level: z
    .enum(["split task", "revise plan", "merge modules"])
    .optional()
    .describe("Only when the decomposition itself is wrong: no revision of this module could help."),
});
export type Objection = z.infer<typeof failureSchema>;

const assessment = z.strictObject({ criterion: z.enum(CRITERIA), assessment: z.enum(["MET", "NOT_MET"]), evidence: nonEmpty });

/** The Challenger's answer; the compliance gate decides whether it is a valid challenge. */
export const challengeAnswerSchema = z.strictObject({
  verdict: z.enum(["PASS", "FAIL"]),
  failures: z.array(failureSchema),
  optional_alternative_ref: nonEmpty.optional(),
  rubric_assessments: z.array(assessment),
  interface_change: interfaceChangeSchema.optional().describe("Only when the contract of a dependency has to change."),
});
export type ChallengeAnswer = z.infer<typeof challengeAnswerSchema>;

export const challengeSchema = challengeAnswerSchema
  .omit({ interface_change: true })
  .extend({ challenge_id: nonEmpty, target_artifact_id: nonEmpty })
  .refine(({ rubric_assessments }) => hasEveryCriterion(rubric_assessments), {
    path: ["rubric_assessments"],
    error: `must have exactly one entry for each of ${CRITERIA.join(", ")}`,
  })
  .refine(({ verdict, rubric_assessments }) => verdict === "FAIL" || rubric_assessments.every(({ assessment: a }) => a === "MET"), {
    path: ["verdict"],
    error: "cannot be PASS while a criterion is NOT_MET",
  });
export type Challenge = z.infer<typeof challengeSchema>;

export function hasEveryCriterion(assessments: readonly { readonly criterion: string }[]): boolean {
  return (
    CRITERIA.join() ===
    assessments
      .map(({ criterion }) => criterion)
      .toSorted()
      .join()
  );
}

const amendmentSchema = z.strictObject({
  action: z.enum(["MODIFY", "ADD", "REMOVE"]),
  target: nonEmpty.describe("A file, a test by its name, a function, a heading of examples.md or a field such as contract.json#/purpose."),
  detail: nonEmpty.describe("The exact change."),
});
export type Amendment = z.infer<typeof amendmentSchema>;

const adjudicationFields = z.strictObject({
  decision: z.enum(DECISIONS),
  amendments: z.array(amendmentSchema),
  rationale: nonEmpty,
  ship_directive: z.enum(["SHIP", "NO_SHIP"]),
});

type AdjudicationFields = z.infer<typeof adjudicationFields>;

/** The decisions allowed here: after the last revision a plain APPROVE over a standing FAIL is not one of them. */
export function adjudicationAnswerSchema(allowed: readonly AdjudicationFields["decision"][]) {
  const known = answers.get(allowed.join());
  const schema = known ?? adjudicationFields.superRefine((answer, context) => adjudicationProblems(answer, allowed, context));
  answers.set(allowed.join(), schema);
  return schema;
}

const answers = new Map<string, typeof adjudicationFields>();

export const adjudicationSchema = adjudicationFields
  .extend({ adjudication_id: nonEmpty, target_artifact_id: nonEmpty })
  .superRefine((answer, context) => adjudicationProblems(answer, DECISIONS, context));
export type Adjudication = z.infer<typeof adjudicationSchema>;

function adjudicationProblems(
  { decision, ship_directive, amendments }: AdjudicationFields,
  allowed: readonly AdjudicationFields["decision"][],
  context: z.RefinementCtx,
): void {
  const problem = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
  if (!allowed.includes(decision))
    problem(["decision"], `must be one of ${allowed.join(", ")}: no revision is left and the objections stand`);
  const wanted = decision === "REJECT" ? "NO_SHIP" : "SHIP";
  if (ship_directive !== wanted) problem(["ship_directive"], `must be ${wanted} when the decision is ${decision}`);
  if (decision === "APPROVE_WITH_AMENDMENTS" && amendments.length === 0) problem(["amendments"], "must have at least one entry");
  if (decision !== "APPROVE_WITH_AMENDMENTS" && amendments.length > 0)
    problem(["amendments"], `must be empty when the decision is ${decision}`);
  amendments.forEach(({ detail }, index) => {
    if (isVague(detail)) problem(["amendments", index, "detail"], "is vague: say exactly what has to stand where");
  });
}

const VAGUE_START =
  /^(?:please\s+)?(?:improve|enhance|fix|clean ?up|tidy|polish|refine|strengthen|better|more|add more|review|consider|handle|address|optimi[sz]e|refactor|simplify)\b/i;
const SPECIFIC = /[`"'«“]|\d|\(\)|[a-z][A-Z]|[a-z]_[a-z]|\w\.\w|=>|===?/;

/** Too vague to check whether it was done. */
export function isVague(detail: string): boolean {
  const words = detail.trim().split(/\s+/).length;
  if (SPECIFIC.test(detail)) return words < 3;
  return words < 6 || VAGUE_START.test(detail.trim());
}

/** The Proposer's record for each amendment. */
export const appliedSchema = z.strictObject({ amendment_index: z.int().nonnegative(), applied: z.boolean(), note: z.string() });
export type Applied = z.infer<typeof appliedSchema>;
