import { parseStrictJson } from "@slipway/kernel/schema/json";
import { z } from "zod";
import { MANUAL_PREFIX, COMMAND_PREFIX, nonEmpty } from "../contract/names.ts";
import { readAs, refused, type Read } from "../contract/problems.ts";

const criterionSchema = z.looseObject({
  id: z.string().regex(/^AC-[0-9]{3,}$/),
  description: nonEmpty,
  verify: z.array(nonEmpty).min(1),
});
export type Criterion = z.infer<typeof criterionSchema>;

const acceptanceSchema = z.looseObject({
  acceptance_criteria: z
    .array(criterionSchema)
    .min(1)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, { error: "an id stands twice" }),
});

export function parseAcceptance(text: string): Read<readonly Criterion[]> {
  const json = parseStrictJson(text);
  if (!json.ok) return refused([`acceptance.json: ${json.problem}`]);
  const read = readAs(acceptanceSchema, json.value);
  if (!read.ok) return refused(read.problems.map((problem) => `acceptance.json: ${problem}`));
  return { ok: true, value: read.value.acceptance_criteria };
}

export interface Verification {
  readonly kind: "command" | "manual";
  readonly text: string;
}

/** An entry of `verify`: a manual step if it says so, otherwise a command. */
export function verificationOf(entry: string): Verification {
  if (entry.startsWith(MANUAL_PREFIX)) return { kind: "manual", text: entry.slice(MANUAL_PREFIX.length).trim() };
  return { kind: "command", text: entry.startsWith(COMMAND_PREFIX) ? entry.slice(COMMAND_PREFIX.length).trim() : entry.trim() };
}

/** Every command of every criterion, once. */
export function acceptanceCommands(criteria: readonly Criterion[]): string[] {
  const all = criteria.flatMap(({ verify }) => verify.map(verificationOf));
  return [...new Set(all.filter(({ kind }) => kind === "command").map(({ text }) => text))];
}
