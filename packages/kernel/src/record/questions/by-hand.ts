import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { parseStrictJson } from "../../schema/json.ts";
import { checkSchema } from "../../schema/violations.ts";
import type { ValidityRules } from "./validity.ts";

const facts = z.looseObject({ folder: z.string(), schema: z.record(z.string(), z.unknown()), may_edit: z.boolean() });
const given = z.looseObject({ decision: z.string(), answer: z.json().optional() });

const ANSWER_FILE = "answer.json";

/**
 * A person answering for an agent learns at once what is wrong with the answer, and the question stays open. Rules beyond JSON Schema are
 * checked when the run resumes; a failed one is asked again.
 */
export function byHandRule(root: string): ValidityRules[string] {
  return async ({ context }, value) => {
    const { folder, schema, may_edit } = facts.parse(context);
    const { decision, answer } = given.parse(value);
    if (decision !== "done") return null;
    if (answer !== undefined) return objection("answer", schema, answer);
    const name = `${folder}/${ANSWER_FILE}`;
    const file = resolve(root, name);
    if (!existsSync(file)) return may_edit ? null : `${name} does not exist yet.`;
    const json = parseStrictJson((await readFile(file, "utf8")).trim());
    return json.ok ? objection(name, schema, json.value) : `${name}: ${json.problem}.`;
  };
}

function objection(name: string, schema: Record<string, unknown>, value: unknown): string | null {
  const checked = checkSchema(z.fromJSONSchema(schema), value);
  if (checked.ok) return null;
  return checked.violations.map(({ pointer, message }) => `${name}${pointer === "" ? "" : `, ${pointer}`}: ${message}`).join("; ");
}
