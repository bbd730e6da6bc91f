import { checkSchema } from "@slipway/kernel/schema/violations";
import type { Contract } from "@slipway/languages/contracts/schema";
import { challengeAnswerSchema, hasEveryCriterion, type ChallengeAnswer } from "./schemas.ts";
import { CRITERIA } from "./rubric.ts";

/** How often a Challenger is asked again when its answer is not a valid challenge. */
export const MAX_COMPLIANCE_RETRIES = 2;
const MIN_EVIDENCE_CHARACTERS = 20;
const MIN_EVIDENCE_WORDS = 4;

export type CheckedChallenge =
  | { readonly ok: true; readonly answer: ChallengeAnswer }
  | { readonly ok: false; readonly problems: readonly string[]; readonly answer: ChallengeAnswer | null };

/** Names that evidence can cite: those of the contract and of its tests. */
export interface Citable {
  readonly contract: Contract;
  readonly tests: readonly string[];
}

/** A challenge must cover every criterion, cite evidence for each, and reach the verdict that follows from them. */
export function checkChallenge(value: unknown, citable: Citable): CheckedChallenge {
  const checked = checkSchema(challengeAnswerSchema, value);
  if (!checked.ok) {
    return { ok: false, problems: checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`), answer: null };
  }
  const answer = checked.value;
  const problems = [...rubricProblems(answer), ...verdictProblems(answer), ...evidenceProblems(answer, citable)];
  return problems.length === 0 ? { ok: true, answer: withOmissions(answer) } : { ok: false, problems, answer };
}

/** A FAIL is not sent back for omissions, so that its objections are not lost; a criterion it did not verify counts as NOT_MET. */
function withOmissions(answer: ChallengeAnswer): ChallengeAnswer {
  return {
    ...answer,
    rubric_assessments: answer.rubric_assessments.map((one) => {
      const unseen = one.criterion === "R1" && one.assessment === "MET" ? unseenDimensions(one.evidence) : [];
      if (unseen.length === 0) return one;
      return { ...one, assessment: "NOT_MET", evidence: `says nothing about ${unseen.join(", ")}: ${one.evidence}` };
    }),
  };
}

function rubricProblems({ rubric_assessments }: ChallengeAnswer): string[] {
  if (hasEveryCriterion(rubric_assessments)) return [];
  const found = rubric_assessments.map(({ criterion }) => criterion).join(", ") || "none";
  return [`/rubric_assessments: exactly one entry for each of ${CRITERIA.join(", ")} is needed, found ${found}`];
}

function verdictProblems({ verdict, failures, rubric_assessments }: ChallengeAnswer): string[] {
  const missed = rubric_assessments.filter(({ assessment }) => assessment === "NOT_MET").map(({ criterion }) => criterion);
  if (verdict === "FAIL") return failures.length === 0 ? ["/failures: a FAIL says what has to change"] : [];
  return [
    ...(missed.length === 0 ? [] : [`/verdict: PASS although ${missed.join(", ")} ${missed.length === 1 ? "is" : "are"} NOT_MET`]),
    ...(failures.length === 0 ? [] : ["/verdict: PASS although there are failures"]),
  ];
}

function evidenceProblems({ rubric_assessments, verdict }: ChallengeAnswer, citable: Citable): string[] {
  const names = citableNames(citable);
  const each = rubric_assessments.flatMap(({ criterion, evidence, assessment }, index) => {
    const at = `/rubric_assessments/${index}/evidence (${criterion})`;
    if (evidence.trim().length < MIN_EVIDENCE_CHARACTERS || evidence.trim().split(/\s+/).length < MIN_EVIDENCE_WORDS) {
      return [`${at}: too short to be evidence`];
    }
    // R6 is about the whole module, which has no name to cite.
    const cites = criterion === "R6" || assessment === "NOT_MET" || names.some((name) => contains(evidence, name));
    return cites ? [] : [`${at}: cites no test, no contract field and no behaviour by its name`];
  });
  const first = rubric_assessments.find(({ criterion }) => criterion === "R1");
  const unseen = first === undefined || first.assessment === "NOT_MET" || verdict === "FAIL" ? [] : unseenDimensions(first.evidence);
  return unseen.length === 0 ? each : [...each, `/rubric_assessments (R1): says nothing about ${unseen.join(", ")}`];
}

const DIMENSION_WORDS = {
  inputs: /\binputs?\b/i,
  outputs: /\boutputs?\b/i,
  "error surfaces": /\berror/i,
  effects: /\beffects?\b/i,
  modes: /\bmodes?\b|\ba?sync/i,
};

function unseenDimensions(evidence: string): string[] {
  return Object.entries(DIMENSION_WORDS)
    .filter(([, word]) => !word.test(evidence))
    .map(([dimension]) => dimension);
}

const CONTRACT_WORDS = [
  "inputs",
  "outputs",
  "error_surfaces",
  "error surfaces",
  "effects",
  "modes",
  "dependencies",
  "examples.md",
  "acceptance_checks",
  "test summary",
];

function citableNames({ contract, tests }: Citable): string[] {
  const { inputs, outputs, error_surfaces, effects, dependencies } = contract;
  return [
    ...CONTRACT_WORDS,
    ...tests,
    ...[...inputs, ...outputs, ...error_surfaces].map(({ name }) => name),
    ...effects.map(({ target }) => target),
    ...dependencies.map(({ ref }) => ref.slice(0, ref.indexOf("@"))),
  ];
}

/** Whole words: an input called `n` is not cited by every word with an n in it. */
function contains(text: string, name: string): boolean {
  return words(text).includes(words(name));
}

function words(text: string): string {
  return ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_]+/gu, " ")
    .trim()} `;
}

/** Without a valid review the module counts as failed. */
export function mildReview(problems: readonly string[], answer: ChallengeAnswer | null): ChallengeAnswer {
  return {
    verdict: "FAIL",
    failures: [
      {
        invariant: "mild_review_violation",
        evidence: problems.join("; "),
        required_change: "None was named: the Challenger gave no review that meets the standard.",
        concerns: "document",
      },
    ],
    rubric_assessments: CRITERIA.map((criterion) => {
      const given = answer?.rubric_assessments.find((one) => one.criterion === criterion);
      return given?.assessment === "NOT_MET"
        ? given
        : { criterion, assessment: "NOT_MET", evidence: "The Challenger gave no assessment that meets the standard." };
    }),
  };
}
