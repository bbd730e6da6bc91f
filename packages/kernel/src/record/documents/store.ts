import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import { SlipwayError } from "../../schema/errors.ts";
import { preparedQuery as fixedQuery, preparedQueryWith } from "../database/prepared-query.ts";
import type { Db, Tx } from "../database/tables.ts";
import { parseDocument, type DocumentKind } from "./kind.ts";
import type { DocumentTables } from "./tables.ts";

export interface Kept {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
}

const insertRow = preparedQueryWith((db, row: DocumentTables["documents"]) => db.insertInto("documents").values(row));

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
  const saved = { id, revision, digest: sha256(text) };
  await insertRow(tx, { kind: kind.kind, ...saved, body: text, at });
  return saved;
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

/** Rejects a row whose body does not match its digest. */
function bodyOf<T>(kind: string, id: string, { body, digest }: { readonly body: string; readonly digest: string }): T {
  const known = verifiedBodies.get(digest);
  if (known?.text === body) return known.value as T;
  if (sha256(body) === digest) return remembered(digest, body, JSON.parse(body) as T);
  throw new SlipwayError(
    "database_corrupt",
    `The record of ${id} (${kind}) in the database does not match its digest: it was changed outside Slipway.`,
    {
      kind,
      id,
      suggested_next_actions: [
        "Restore slipway/slipway.db below the git directory from a backup, then run `slipway resume`. Nothing was changed.",
      ],
    },
  );
}

/** Parsed bodies of verified texts, by digest: a sealed module is read again for every module that depends on it. */
const verifiedBodies = new Map<string, { readonly text: string; readonly value: unknown }>();
const MAX_VERIFIED = 500;
/** Parsing a shorter text takes no longer than looking it up. */
const WORTH_REMEMBERING = 2_048;

function remembered<T>(digest: string, text: string, value: T): T {
  if (text.length < WORTH_REMEMBERING) return value;
  if (verifiedBodies.size >= MAX_VERIFIED) verifiedBodies.clear();
  verifiedBodies.set(digest, { text, value });
  return value;
}
