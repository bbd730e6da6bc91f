import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import type { Actor } from "../operations/operation.ts";
import { checkSchema, type SchemaViolation } from "../../schema/violations.ts";
import type { InboxQuestion } from "./question.ts";
import { QUESTION_TRANSITIONS, type QuestionStatus } from "./status.ts";

/** Rules beyond the schema, by kind of question. Each returns the problem with the answer, or null. */
export type ValidityRules = Readonly<Record<string, (question: InboxQuestion, value: unknown) => string | null | Promise<string | null>>>;

/** Roles that may answer if the question does not list any. */
const BY_DEFAULT: readonly string[] = ["person"];

export async function assertAnswer(question: InboxQuestion, value: unknown, by: Actor, at: number, rules: ValidityRules): Promise<void> {
  assertOpen(question, at);
  assertMayAnswer(question, by);
  const violations = [...schemaViolations(question, value), ...optionViolations(question, value)];
  if (violations.length > 0)
    throw invalid(question, violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; "), violations);
  const objection = (await rules[question.kind]?.(question, value)) ?? null;
  if (objection !== null) throw invalid(question, objection, []);
}

function assertOpen({ id, title, status, answeredBy, expiresAt }: InboxQuestion, at: number): void {
  const end: QuestionStatus = status === "open" && expiresAt !== null && at >= expiresAt ? "expired" : status;
  if (QUESTION_TRANSITIONS[end].includes("answered")) return;
  const verb = {
    open: "is open",
    expired: "has expired",
    withdrawn: "was withdrawn",
    answered: `was answered by ${answeredBy ?? "an unknown actor"}`,
  };
  throw new SlipwayError("question_closed", `The question "${title}" ${verb[end]}.`, {
    question_id: id,
    status: end,
    suggested_next_actions: ["Run `slipway inbox` to see the open questions."],
  });
}

function assertMayAnswer({ id, title, answerableBy }: InboxQuestion, { type, id: actorId }: Actor): void {
  const allowed = answerableBy.length === 0 ? BY_DEFAULT : answerableBy;
  if (allowed.includes(type) || allowed.includes(`${type}:${actorId}`)) return;
  throw new SlipwayError("answer_not_allowed", `${type}:${actorId} may not answer "${title}"; allowed: ${allowed.join(", ")}.`, {
    question_id: id,
    answerable_by: allowed,
    suggested_next_actions: ["Ask one of the actors in `answerable_by` to answer."],
  });
}

function schemaViolations({ answerSchema }: InboxQuestion, value: unknown): SchemaViolation[] {
  const checked = checkSchema(z.fromJSONSchema(answerSchema), value);
  return checked.ok ? [] : [...checked.violations];
}

/** The choice is the answer itself, or its field `decision`. */
function optionViolations({ options }: InboxQuestion, value: unknown): SchemaViolation[] {
  const nested = typeof value === "object" && value !== null && "decision" in value;
  const choice = nested ? value.decision : value;
  if (options.length === 0 || typeof choice !== "string" || options.some((option) => option.value === choice)) return [];
  const expected = options.map((option) => option.value).join(" | ");
  return [{ pointer: nested ? "/decision" : "", rule: "enum", expected, message: `"${choice}" is not one of the options: ${expected}` }];
}

function invalid({ id, title, options }: InboxQuestion, reason: string, violations: readonly SchemaViolation[]): SlipwayError {
  return new SlipwayError("answer_invalid", `The answer to "${title}" is not valid. ${reason}`, {
    question_id: id,
    violations,
    options: options.map(({ value }) => value),
    suggested_next_actions: [`Run \`slipway inbox ${id}\` to see the question, then answer again.`],
  });
}
