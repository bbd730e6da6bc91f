import type { Artifacts } from "./artifacts/artifacts.ts";
import type { Db } from "@slipway/kernel/record/database/tables";
import type { DocumentKind } from "@slipway/kernel/record/documents/kind";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import { headOf, readPage, REPOSITORY_STREAM } from "@slipway/kernel/record/journal/repository";
import { contextPackKind, contributionKind, debateFileKind } from "./kept.ts";
import { reuseReportKind } from "./reuse/schema.ts";

const LOOSE = [contextPackKind, contributionKind, debateFileKind, reuseReportKind] as unknown as readonly DocumentKind<unknown>[];

/** What a system writes to its disk by itself is there after half a minute, unless somebody has set it up otherwise. */
const SURELY_WRITTEN_MS = 120_000;
const MOST = 1_000;

interface Renewed {
  readonly db: Db;
  readonly documents: Pick<Documents, "renew">;
  readonly artifacts: Pick<Artifacts, "renew">;
}

/** Files of records do not wait for the disk: what was kept last is looked at again before a run goes on. */
export async function renewLatest({ db, documents, artifacts }: Renewed): Promise<void> {
  const head = await headOf(db, REPOSITORY_STREAM);
  const { events } = await readPage(db, REPOSITORY_STREAM, { from: Math.max(1, (head?.seq ?? 0) - MOST), limit: MOST + 1 });
  const since = (events.at(-1)?.at ?? 0) - SURELY_WRITTEN_MS;
  for (const { at, kind, name, payload } of events) {
    if (at < since || kind !== "operation") continue;
    const { event } = JSON.parse(payload) as { readonly event?: Told | null };
    const loose = LOOSE.find((one) => name === `${one.kind}.keep` || name === `${one.kind}.keep_all`);
    if (name.startsWith("artifact.") && event?.artifact_id !== undefined) await artifacts.renew(event.artifact_id);
    if (loose !== undefined) for (const id of idsIn(event)) await documents.renew(loose, id);
  }
}

/** What the journal says of an operation that kept something. A long one is elsewhere, and none of these is long. */
interface Told {
  readonly artifact_id?: string;
  readonly id?: string;
  readonly kept?: readonly { readonly id: string }[];
}

function idsIn(told: Told | null | undefined): string[] {
  return [...(told?.id === undefined ? [] : [told.id]), ...(told?.kept ?? []).map(({ id }) => id)];
}
