import { decisionSchema, type Decision } from "@slipway/kernel/record/decisions/decision";
import { stringify } from "smol-toml";
import { z } from "zod";

export const ledgerSchema = z.strictObject({
  meta: z.strictObject({ spec_version: z.string().min(1), created: z.iso.datetime() }),
  decisions: z.array(decisionSchema).default([]),
});

export type LedgerMeta = z.output<typeof ledgerSchema>["meta"];

/** `ledger.toml`: `[meta]` and one `[[decisions]]` table for each entry. */
export function ledgerToml(meta: LedgerMeta, entries: readonly Decision[]): string {
  return `${stringify({ meta, ...(entries.length === 0 ? {} : { decisions: [...entries] }) }).trimEnd()}\n`;
}
