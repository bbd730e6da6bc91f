import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/durable/errors";
import { fixed as fixedQuery, fixedWith } from "../database/prepared-query.ts";
import type { Db, Tx } from "../database/tables.ts";
import { parseDocument, type DocumentKind } from "./kind.ts";
import type { DocumentTables } from "./tables.ts";

export interface Kept {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
}

const insertRow = fixedWith((db, row: DocumentTables["documents"]) => db.insertInto("documents").values(row));

const latestRow = fixedQuery((db, kind: string, id: string) =>
  db
    .selectFrom("documents")
    .select(["revision", "body", "digest"])
    .where("kind", "=", kind)
    .where("id", "=", id)
    .orderBy("revision", "desc")
    .limit(1),
);

export async function insert<T>(
  tx: Tx,
  kind: DocumentKind<T>,
  { id, revision, body, at }: { readonly id: string; readonly revision: number; readonly body: unknown; readonly at: number },
): Promise<Kept> {
  const text = canonicalJson(parseDocument(kind, body));
  const kept = { id, revision, digest: sha256(text) };
  await insertRow(tx, { kind: kind.kind, ...kept, body: text, at });
  return kept;
}

export async function latest<T>(
  db: Db | Tx,
  { kind }: DocumentKind<T>,
  id: string,
): Promise<{ readonly revision: number; readonly body: T } | null> {
  const [row] = await latestRow(db, kind, id);
  return row === undefined ? null : { revision: row.revision, body: bodyOf<T>(kind, id, row) };
}

export async function all<T>(db: Db, { kind }: DocumentKind<T>): Promise<{ readonly id: string; readonly body: T }[]> {
  const rows = await db
    .selectFrom("documents")
    .select(["id", "body", "digest"])
    .where("kind", "=", kind)
    .orderBy("revision")
    .orderBy("at")
    .execute();
  const bodies = new Map<string, T>();
  for (const { id, ...row } of rows) bodies.set(id, bodyOf<T>(kind, id, row));
  return [...bodies].map(([id, body]) => ({ id, body }));
}

/** A row that is not what was kept is used by nobody, whoever has changed it. */
function bodyOf<T>(kind: string, id: string, { body, digest }: { readonly body: string; readonly digest: string }): T {
  const known = whole.get(digest);
  if (known?.text === body) return known.value as T;
  if (sha256(body) === digest) return remembered(digest, body, JSON.parse(body) as T);
  throw new SlipwayError(
    "database_corrupt",
    `The record of ${id} (${kind}) in the database is not what was kept: somebody or something has changed it.`,
    {
      kind,
      id,
      suggested_next_actions: [
        "Put a backup of slipway/slipway.db below the git directory in its place, then `slipway resume`. Nothing was done in the meantime.",
      ],
    },
  );
}

/** Texts that were found whole, with what they say: a sealed module is read by whoever depends on it, again and again. */
const whole = new Map<string, { readonly text: string; readonly value: unknown }>();
const MOST_WHOLE = 500;
/** Shorter ones are read as quickly as they are looked for. */
const WORTH_REMEMBERING = 2_048;

function remembered<T>(digest: string, text: string, value: T): T {
  if (text.length < WORTH_REMEMBERING) return value;
  if (whole.size >= MOST_WHOLE) whole.clear();
  whole.set(digest, { text, value });
  return value;
}
