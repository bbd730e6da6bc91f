import { SlipwayError } from "@slipway/agents/errors";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { z } from "zod";
import type { PlayedForgeRole } from "../agents.ts";
import { problemsOf, type Answer } from "./answers.ts";
import { completionOf, type Completion } from "./completion.ts";
import { recordOf, type AnsweredDecision } from "./decision.ts";
import { line, time } from "./fields.ts";
import type { CheckRecord } from "./implementation.ts";
import type { Reviewer } from "./review.ts";
import { ROLE_PAYLOADS, type DocumentPayload } from "./roles.ts";
import { taskPayload, type ForgeTask } from "./task.ts";
import type { VerificationPayload } from "./verification.ts";

export const SCHEMA_VERSION = "1.0";

export interface ForgeDocument<P> {
  readonly completion: Completion;
  readonly agent_output: {
    readonly agent: PlayedForgeRole;
    readonly instance: string;
    readonly step: string;
    readonly started_at: string;
    readonly completed_at: string;
    readonly schema_version: typeof SCHEMA_VERSION;
    readonly payload: P | null;
  };
}

/** What the harness knows of a dispatch. */
export interface DispatchFacts {
  readonly instance: string;
  readonly step: string;
  readonly started_at: string;
  readonly completed_at: string;
  readonly output_paths: readonly string[];
}

/** What the harness adds to the payload of a role. */
interface KnownFacts {
  researcher: { readonly focus: string };
  implementer: { readonly task_id: string; readonly baseline: readonly CheckRecord[]; readonly ledger_entries: readonly number[] };
  verifier: { readonly task_id: string };
  "adversarial-reviewer": Reviewer;
}
export type Known<R extends PlayedForgeRole> = R extends keyof KnownFacts ? [known: KnownFacts[R]] : [];

/** A file of a role, with whatever payload. `problems` finds what only the block and the payload together show. */
export function documentSchema<P>(
  agent: PlayedForgeRole,
  payload: z.ZodType<P>,
  problems: typeof problemsOf = problemsOf,
): z.ZodType<ForgeDocument<P>> {
  const header = { agent: z.literal(agent), instance: line, step: line, started_at: time, completed_at: time };
  return z
    .object({
      completion: completionOf(agent),
      agent_output: z.object({ ...header, schema_version: z.literal(SCHEMA_VERSION), payload: payload.nullable() }),
    })
    .superRefine(({ completion, agent_output }, context) => {
      for (const { path, message } of problems(agent, completion, agent_output.payload))
        context.addIssue({ code: "custom", path: path[0] === "payload" ? ["agent_output", "payload"] : path, message });
    }) as unknown as z.ZodType<ForgeDocument<P>>;
}

const SCHEMAS = new Map(
  (Object.keys(ROLE_PAYLOADS) as PlayedForgeRole[]).map((role) => [
    role,
    documentSchema<unknown>(role, ROLE_PAYLOADS[role].payload as z.ZodType),
  ]),
);

export function documentSchemaOf<R extends PlayedForgeRole>(role: R): z.ZodType<ForgeDocument<DocumentPayload<R>>> {
  return SCHEMAS.get(role) as z.ZodType<ForgeDocument<DocumentPayload<R>>>;
}

export const taskDocumentSchema = documentSchema("planner", taskPayload);

/** The file for an answer: the harness's facts, then the answer, in the order of the schema. */
export function documentOf<R extends PlayedForgeRole>(
  role: R,
  answer: Answer<R>,
  facts: DispatchFacts,
  ...known: Known<R>
): ForgeDocument<DocumentPayload<R>> {
  const payload = answer.payload === null ? null : filledIn(role, answer.payload, known[0] ?? {}, facts);
  return assemble(role, documentSchemaOf(role), answer.completion, payload, facts);
}

export function taskDocumentOf(completion: Completion, task: ForgeTask, facts: DispatchFacts): ForgeDocument<z.output<typeof taskPayload>> {
  return assemble("planner", taskDocumentSchema, completion, { task }, facts);
}

/** Refuses what the schema refuses, naming each field. */
export function assemble<P>(
  agent: PlayedForgeRole,
  schema: z.ZodType<ForgeDocument<P>>,
  completion: Completion,
  payload: unknown,
  { instance, step, started_at, completed_at, output_paths }: DispatchFacts,
): ForgeDocument<P> {
  const agent_output = { agent, instance, step, started_at, completed_at, schema_version: SCHEMA_VERSION, payload };
  const checked = checkSchema(schema, { completion: { ...completion, output_paths }, agent_output });
  if (checked.ok) return checked.value;
  const errors = checked.violations.map(({ pointer, message }) => `${pointer}: ${message}`);
  throw new SlipwayError("agent_output_invalid", `The output of ${agent} (${instance}) is refused:\n${errors.join("\n")}`, {
    agent,
    instance,
    errors,
    suggested_next_actions: ["Correct the named fields and submit the output again."],
  });
}

function filledIn(role: PlayedForgeRole, payload: object, known: object, { completed_at }: DispatchFacts): object {
  if (role === "verifier") {
    const { verification_report } = payload as VerificationPayload;
    return { verification_report: { ...verification_report, ...known } };
  }
  const filled = { ...payload, ...known };
  if (!("decisions" in filled)) return filled;
  const decisions = filled.decisions as readonly AnsweredDecision[];
  return { ...filled, decisions: decisions.map((decision) => recordOf(decision, completed_at, role)) };
}
