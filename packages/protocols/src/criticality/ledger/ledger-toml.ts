import { SlipwayError } from "@slipway/agents/errors";
import { decisionSchema, type Decision } from "@slipway/kernel/record/decisions/decision";
import { assertNoCycle } from "@slipway/kernel/record/decisions/dependencies";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { parse, stringify, TomlError } from "smol-toml";
import { z } from "zod";

export const ledgerSchema = z.strictObject({
  meta: z.strictObject({ spec_version: z.string().min(1), created: z.iso.datetime() }),
  decisions: z.array(decisionSchema).default([]),
});

export type LedgerMeta = z.output<typeof ledgerSchema>["meta"];
export type LedgerDocument = z.output<typeof ledgerSchema>;

/** `ledger.toml`: `[meta]` and one `[[decisions]]` table for each entry. */
export function ledgerToml(meta: LedgerMeta, entries: readonly Decision[]): string {
  return `${stringify({ meta, ...(entries.length === 0 ? {} : { decisions: [...entries] }) }).trimEnd()}\n`;
}

export function parseLedgerToml(file: string, text: string): LedgerDocument {
  const checked = checkSchema(ledgerSchema, read(file, text));
  if (!checked.ok) {
    const listed = checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`);
    throw invalid(file, listed.join("; "), { field: checked.violations[0]?.pointer, violations: checked.violations });
  }
  const { decisions } = checked.value;
  const ids = new Set<string>();
  for (const { id } of decisions) {
    if (ids.has(id)) throw invalid(file, `the id ${id} occurs twice`, { decision_id: id });
    ids.add(id);
  }
  for (const { id, dependencies } of decisions) {
    const unknown = dependencies.find((dependency) => !ids.has(dependency));
    if (unknown !== undefined) throw invalid(file, `${id} depends on ${unknown}, which is not listed`, { decision_id: id });
  }
  assertNoCycle(decisions);
  return checked.value;
}

function read(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw invalid(file, `line ${error.line}, column ${error.column}: this is not TOML`, { line: error.line, column: error.column });
  }
}

function invalid(file: string, what: string, details: Readonly<Record<string, unknown>>): SlipwayError {
  return new SlipwayError("schema_validation_failed", `${file} is not a valid ledger: ${what}.`, {
    file,
    ...details,
    suggested_next_actions: ["Correct the file, or run `slipway resume`, which writes it again from the records."],
  });
}
