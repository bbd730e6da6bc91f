import { randomUUID } from "node:crypto";
import { SlipwayError } from "../../schema/errors.ts";
import type { z } from "zod";
import { checkSchema } from "../../schema/violations.ts";

/** One kind of record of the state store: its schema, ids and files, and whether it may be revised. */
export interface DocumentKind<T> {
  readonly kind: string;
  /** The prefix of its ids, which `keep` assigns. Null for a record about another record: it has that record's id. */
  readonly prefix: string | null;
  /** The field of the body that holds the id. */
  readonly idField: string;
  /** The field for the time of the first `keep`, where the body does not contain it. A repeated call has the time of the first one. */
  readonly timeField?: string;
  readonly schema: z.ZodType<T>;
  /** Written once, or revised. Earlier revisions stay in the table. */
  readonly fixity: "once" | "revised";
  /** Its files are written without fsync if `DocumentsOptions.pending` records them for comparison after a power cut. */
  readonly loose?: true;
  /** Text by path in the state store. */
  readonly files: (id: string, body: T) => Readonly<Record<string, string>>;
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function newDocumentId(prefix: string, uuid: () => string = randomUUID): string {
  return `${prefix}-${uuid().slice(0, 8)}`;
}

/** Every body is checked against the schema before it is stored. */
export function parseDocument<T>({ kind, schema }: Pick<DocumentKind<T>, "kind" | "schema">, body: unknown): T {
  const checked = checkSchema(schema, body);
  if (checked.ok) return checked.value;
  const listed = checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
  throw new SlipwayError("schema_validation_failed", `The ${kind} is not valid; nothing was stored. ${listed}`, {
    kind,
    violations: checked.violations,
    suggested_next_actions: ["Correct every field listed in `violations` and try again."],
  });
}

export function unknownDocument(kind: string, id: string): SlipwayError {
  return new SlipwayError("input_path_not_found", `There is no ${kind} ${JSON.stringify(id.slice(0, 80))}.`, {
    kind,
    id: id.slice(0, 80),
    suggested_next_actions: ["Run `slipway status` to see what exists."],
  });
}
