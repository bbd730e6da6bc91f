import { sha256 } from "@slipway/durable/canonical";
import { SlipwayError } from "@slipway/agents/errors";
import { isShort } from "@slipway/durable/payload";
import { preparedQuery, preparedQueryWith } from "@slipway/kernel/record/database/prepared-query";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { ArtifactTables } from "./tables.ts";

type Texts = Readonly<Record<string, string>>;

/** Path to SHA-256. Long texts are stored as objects now; short ones become rows with the artifact (`keepShort`). */
export async function keepLong(objects: Objects, body: Texts): Promise<Texts> {
  const digests = Object.entries(body).map(async ([path, text]) => [path, await digestOfText(objects, text)] as const);
  return Object.fromEntries(await Promise.all(digests));
}

async function digestOfText(objects: Objects, text: string): Promise<string> {
  return isShort(text) ? sha256(text) : objects.put(Buffer.from(text));
}

export async function keepShort(tx: Tx, body: Texts, digests: Texts): Promise<void> {
  for (const [path, text] of Object.entries(body)) if (isShort(text)) await insertText(tx, { digest: digests[path] ?? "", text });
}

/** Returns the stored text, or throws if its digest does not match. */
export async function readText(db: Db | Tx, objects: Objects, digest: string): Promise<string> {
  const [row] = await textRow(db, digest);
  if (row === undefined) return Buffer.from(await objects.get(digest)).toString("utf8");
  if (sha256(row.text) === digest) return row.text;
  throw new SlipwayError("database_corrupt", `The text ${digest} of an artifact in the database does not match its digest.`, {
    digest,
    suggested_next_actions: ["Restore slipway/slipway.db in the git directory from a backup, then `slipway resume`. Nothing was changed."],
  });
}

const insertText = preparedQueryWith((db, row: ArtifactTables["artifact_texts"]) =>
  db
    .insertInto("artifact_texts")
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
);

const textRow = preparedQuery((db, digest: string) => db.selectFrom("artifact_texts").select("text").where("digest", "=", digest));
