import { z } from "zod";
import type { CrewRole, DispatchedRole } from "../agents.ts";
import { ROLE_ARTIFACTS, type ArtifactsOf } from "./artifacts.ts";
import { nonEmpty, roleNameSchema, texts } from "./names.ts";
import { readAs, type Read } from "./problems.ts";
import { sentencesIn } from "./sentences.ts";

export const OUTPUT_STATUSES = ["OK", "BLOCKED", "NEEDS_INFO", "NEEDS_DECISION", "FAIL"] as const;
export type OutputStatus = (typeof OUTPUT_STATUSES)[number];

const COMMON_STATUSES: readonly OutputStatus[] = ["OK", "BLOCKED", "FAIL"];
const MORE_STATUSES: Partial<Readonly<Record<CrewRole, OutputStatus>>> = { Researcher: "NEEDS_INFO", Security: "NEEDS_DECISION" };

export function statusesOf(role: DispatchedRole): readonly OutputStatus[] {
  const own = MORE_STATUSES[role];
  return own === undefined ? COMMON_STATUSES : [...COMMON_STATUSES, own];
}

const MAX_SENTENCES = 3;

const summarySchema = nonEmpty.refine((text) => sentencesIn(text) <= MAX_SENTENCES, { error: `has more than ${MAX_SENTENCES} sentences` });

export const gatesSchema = z.strictObject({
  meets_definition_of_done: z.boolean(),
  needs_review: z.boolean(),
  needs_tests: z.boolean(),
  security_concerns: texts,
});
export type OutputGates = z.infer<typeof gatesSchema>;

export interface OutputNext {
  readonly recommended_agent: CrewRole;
  readonly recommended_task_id: string;
  readonly reason: string;
}

export interface OutputOf<R extends DispatchedRole> {
  readonly status: OutputStatus;
  readonly summary: string;
  readonly artifacts: ArtifactsOf<R>;
  readonly gates: OutputGates;
  readonly next: OutputNext;
}
/** The output of any role. */
export type AgentOutput = { [R in DispatchedRole]: OutputOf<R> }[DispatchedRole];

/** `same` stands for the dispatched task and is replaced before anything reads it. */
const recommendedTask = (taskId: string) =>
  z
    .string()
    .regex(/^(?:meta|same|T-[0-9]{3,})$/)
    .transform((id) => (id === "same" ? taskId : id));

const made = new Map<string, z.ZodType>();

/** The universal output with the role's own statuses and artifacts. Missing and unknown keys are refused, omitted lists are empty. */
export function outputSchemaOf<R extends DispatchedRole>(role: R, taskId: string): z.ZodType<OutputOf<R>> {
  const key = `${role} ${taskId}`;
  const known = made.get(key) ?? makeSchema(role, taskId);
  made.set(key, known);
  return known as z.ZodType<OutputOf<R>>;
}

function makeSchema(role: DispatchedRole, taskId: string): z.ZodType {
  return z.strictObject({
    status: z.enum(statusesOf(role)),
    summary: summarySchema,
    artifacts: ROLE_ARTIFACTS[role],
    gates: gatesSchema,
    next: z.strictObject({ recommended_agent: roleNameSchema, recommended_task_id: recommendedTask(taskId), reason: nonEmpty }),
  });
}

export function readOutput<R extends DispatchedRole>(role: R, taskId: string, value: unknown): Read<OutputOf<R>> {
  return readAs(outputSchemaOf(role, taskId), value);
}

/** The paths that an output says it changed. */
export function declaredPaths({ artifacts }: AgentOutput): string[] {
  const { files_changed, files_to_create_or_update, tests_added_or_updated } = artifacts;
  return [...new Set([...files_changed, ...files_to_create_or_update, ...tests_added_or_updated])];
}
