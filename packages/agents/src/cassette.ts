import { join } from "node:path";
import { SlipwayError } from "./errors.ts";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { decodeText } from "@slipway/kernel/schema/text";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { z } from "zod";
import { replyUsageSchema } from "./usage.ts";

export const CASSETTE_FILE = "cassette.json";
const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

export const cassetteSchema = z.strictObject({ version: z.literal(1), created: z.string(), description: z.string() });

const name = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/);

export const entrySchema = z
  .strictObject({
    role: name,
    subject: z.string().min(1),
    attempt: z.union([name, z.int().min(1).transform(String)]),
    repair: z.int().min(0).default(0),
    /** Digest of the prompt at the time of the recording; null if unknown. */
    prompt_digest: z.union([z.string().regex(/^[0-9a-f]{64}$/), z.null()]),
    model: z.string().nullable().default(null),
    /** The answer as text … */
    text: z.string().optional(),
    /** … or, easier to read, as a JSON value. */
    output: z.unknown().optional(),
    /** … or a failure instead of an answer. */
    failure: z.strictObject({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }).optional(),
    usage: replyUsageSchema.prefault({}),
  })
  .refine(({ text, output, failure }) => [text, output, failure].filter((one) => one !== undefined).length === 1, {
    error: "needs either text or output, or a failure",
    path: ["output"],
  });

export type CassetteEntry = z.output<typeof entrySchema>;
export type EntryKey = Pick<CassetteEntry, "role" | "subject" | "attempt" | "repair">;

/** `<role>/<subject>.<attempt>.json`, and for the nth repair `<role>/<subject>.<attempt>.repair<n>.json`: attempts may contain dots. */
export function entryPath({ role, subject, attempt, repair }: EntryKey): string {
  const file = [encodeURIComponent(subject), encodeURIComponent(attempt), ...(repair === 0 ? [] : [`repair${repair}`]), "json"].join(".");
  return join(encodeURIComponent(role).replaceAll(".", "%2E"), file);
}

/** Reads one JSON file of a cassette; errors name the file and field. */
export function parseCassetteFile<S extends z.ZodType>(file: string, bytes: Uint8Array, schema: S): z.output<S> {
  const json = parseStrictJson(decodeText(file, bytes, MAX_ENTRY_BYTES));
  if (!json.ok) throw invalidFile(file, "", json.problem);
  const checked = checkSchema(schema, json.value);
  if (checked.ok) return checked.value;
  const problems = checked.violations.map(({ pointer, message }) => `${pointer === "" ? "the value" : pointer}: ${message}`);
  throw invalidFile(file, checked.violations[0]?.pointer ?? "", problems.join("; "));
}

export function invalidFile(file: string, field: string, problem: string): SlipwayError {
  return new SlipwayError("config_invalid", `${file} is not valid: ${problem}.`, {
    file,
    field,
    suggested_next_actions: ["Restore the file from version control, or record the cassette again."],
  });
}
