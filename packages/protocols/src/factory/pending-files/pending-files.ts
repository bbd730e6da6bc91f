import type { Clock } from "@slipway/durable/environment";
import { fixed } from "@slipway/kernel/record/database/prepared-query";
import type { Db, Tx } from "@slipway/kernel/record/database/tables";
import type { DocumentKind } from "@slipway/kernel/record/documents/kind";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Artifacts } from "../artifacts/artifacts.ts";
import { contextPackKind, contributionKind, debateFileKind } from "../kept.ts";
import { reuseReportKind } from "../reuse/schema.ts";

/** The system writes a file to the disk by itself after half a minute, unless somebody has set it up otherwise. */
const SURELY_WRITTEN_MS = 120_000;

/** In the transaction of the record. Rows of files that are on the disk by now go with it, so that there are never many. */
export async function notePending(tx: Tx, kind: string, id: string, at: number): Promise<void> {
  await insertRow(tx, kind, id, at);
  await deleteBefore(tx, at - SURELY_WRITTEN_MS);
}

const insertRow = fixed((db, kind: string, id: string, written_at: number) =>
  db
    .insertInto("files_pending")
    .values({ kind, id, written_at })
    .onConflict((conflict) => conflict.columns(["kind", "id"]).doUpdateSet({ written_at })),
);

const deleteBefore = fixed((db, at: number) => db.deleteFrom("files_pending").where("written_at", "<", at));

interface Restored {
  readonly db: Db;
  readonly clock: Pick<Clock, "now">;
  readonly documents: Pick<Documents, "renew">;
  readonly artifacts: Pick<Artifacts, "renew">;
}

const KINDS = [contextPackKind, contributionKind, debateFileKind, reuseReportKind] as unknown as readonly DocumentKind<unknown>[];

/** Before a run goes on: compares the pending files with their records and writes those that are missing or differ. */
export async function restorePending({ db, clock, documents, artifacts }: Restored): Promise<void> {
  const rows = await db.selectFrom("files_pending").select(["kind", "id"]).orderBy("written_at").execute();
  for (const { kind, id } of rows) {
    const document = KINDS.find((one) => one.kind === kind);
    const written = document === undefined ? await artifacts.renew(id) : await documents.renew(document, id);
    if (written > 0) await insertRow(db, kind, id, Math.floor(clock.now()));
  }
  await deleteBefore(db, Math.floor(clock.now()) - SURELY_WRITTEN_MS);
}
