import type { Clock } from "@slipway/durable/environment";
import { preparedQuery } from "@slipway/kernel/record/database/prepared-query";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import type { DocumentKind } from "@slipway/kernel/record/documents/kind";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Artifacts } from "../artifacts/artifacts.ts";
import { contextPackKind, contributionKind, debateFileKind } from "../record-kinds.ts";
import { reuseReportKind } from "../reuse/schema.ts";

/** By default Linux writes dirty pages back within half a minute; this leaves a margin. */
const SURELY_WRITTEN_MS = 120_000;

/** Runs in the transaction of the record. Also deletes rows whose files are on disk by now, so that the table stays small. */
export async function notePending(tx: Tx, kind: string, id: string, at: number): Promise<void> {
  await insertRow(tx, kind, id, at);
  await deleteBefore(tx, at - SURELY_WRITTEN_MS);
}

const insertRow = preparedQuery((db, kind: string, id: string, written_at: number) =>
  db
    .insertInto("files_pending")
    .values({ kind, id, written_at })
    .onConflict((conflict) => conflict.columns(["kind", "id"]).doUpdateSet({ written_at })),
);

const deleteBefore = preparedQuery((db, at: number) => db.deleteFrom("files_pending").where("written_at", "<", at));

interface Restored {
  readonly db: Db;
  readonly clock: Pick<Clock, "now">;
  readonly documents: Pick<Documents, "renew">;
  readonly artifacts: Pick<Artifacts, "renew">;
}

const KINDS = [contextPackKind, contributionKind, debateFileKind, reuseReportKind] as unknown as readonly DocumentKind<unknown>[];

/** Before a run resumes: compares pending files with their records and rewrites missing or different ones. */
export async function restorePending({ db, clock, documents, artifacts }: Restored): Promise<void> {
  const rows = await db.selectFrom("files_pending").select(["kind", "id"]).orderBy("written_at").execute();
  for (const { kind, id } of rows) {
    const document = KINDS.find((one) => one.kind === kind);
    const written = document === undefined ? await artifacts.renew(id) : await documents.renew(document, id);
    if (written > 0) await insertRow(db, kind, id, Math.floor(clock.now()));
  }
  await deleteBefore(db, Math.floor(clock.now()) - SURELY_WRITTEN_MS);
}
