import { randomUUID } from "node:crypto";
import { SlipwayError } from "@slipway/durable/errors";
import type { z } from "zod";
import { checkSchema } from "../../schema/violations.ts";

/** One sort of record of the state store: its shape, its ids, its files, and whether it may ever say something else. */
export interface DocumentKind<T> {
  readonly kind: string;
  /** What its ids begin with: they are given here and by nobody else. Null for a record about another one, which bears that one's id. */
  readonly prefix: string | null;
  /** The field of the body that holds the id. */
  readonly idField: string;
  /** The field that says when it was first kept, where the keeper does not say it: a repeat of the call has the time of the first. */
  readonly timeField?: string;
  readonly schema: z.ZodType<T>;
  /** Written once, or revised; earlier revisions stay on record. */
  readonly fixity: "once" | "revised";
  /** Its files are written without fsync, where somebody notes them and has them compared after a power cut (`DocumentsOptions.pending`). */
  readonly loose?: true;
  /** Path in the state store to text. */
  readonly files: (id: string, body: T) => Readonly<Record<string, string>>;
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function newDocumentId(prefix: string, uuid: () => string = randomUUID): string {
  return `${prefix}-${uuid().slice(0, 8)}`;
}

/** Nothing that misses its schema is stored, whoever brings it. */
export function parseDocument<T>({ kind, schema }: Pick<DocumentKind<T>, "kind" | "schema">, body: unknown): T {
  const checked = checkSchema(schema, body);
  if (checked.ok) return checked.value;
  const listed = checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
  throw new SlipwayError("schema_validation_failed", `The ${kind} is not valid, so nothing was stored. ${listed}`, {
    kind,
    violations: checked.violations,
    suggested_next_actions: ["Correct every field listed in `violations` and try again."],
  });
}

export function unknownDocument(kind: string, id: string): SlipwayError {
  return new SlipwayError("input_path_not_found", `There is no ${kind} ${JSON.stringify(id.slice(0, 80))}.`, {
    kind,
    id: id.slice(0, 80),
    suggested_next_actions: ["Look at `slipway status` for what there is."],
  });
}
