import { parse, stringify } from "yaml";
import { z } from "zod";
import { SlipwayError } from "@slipway/agents/errors";
import { checkRowSchema, dispatchRowSchema } from "./rows.ts";

/** `source` is the harness's observation that a row is; null if the harness made the check without a process. */
const documentSchema = z.strictObject({
  ledger: z.strictObject({
    run_id: z.string(),
    anvil_checks: z.array(checkRowSchema.extend({ source: z.string().nullable() })),
    pipeline_telemetry: z.array(dispatchRowSchema),
  }),
});

/** A whole ledger, kept as one YAML text where SQLite cannot be used. */
export type YamlLedgerDocument = z.infer<typeof documentSchema>["ledger"];

export function emptyYamlLedger(runId: string): string {
  return writeYamlLedger({ run_id: runId, anvil_checks: [], pipeline_telemetry: [] });
}

export function writeYamlLedger(ledger: YamlLedgerDocument): string {
  return stringify({ ledger }, { lineWidth: 0, aliasDuplicateObjects: false });
}

export function readYamlLedger(text: string): YamlLedgerDocument {
  const checked = documentSchema.safeParse(parse(text, { maxAliasCount: 0 }));
  if (checked.success) return checked.data.ledger;
  const [issue] = checked.error.issues;
  throw new SlipwayError("schema_validation_failed", `verification-ledger.yaml: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`, {
    file: "verification-ledger.yaml",
    field: issue?.path.join(".") ?? "",
    suggested_next_actions: ["Start the run again: its ledger cannot be read."],
  });
}
