import { parse } from "smol-toml";
import type { z } from "zod";
import { ledgerSchema } from "../ledger-toml.ts";

/** The contents of a ledger.toml that fits its schema. */
export function readLedger(text: string): z.output<typeof ledgerSchema> {
  return ledgerSchema.parse(parse(text));
}
