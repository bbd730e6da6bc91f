import { statSync } from "node:fs";
import { join } from "node:path";
import { nodeFileSystem } from "../../host/files/file-system.ts";
import { writeFileAtomic } from "../../host/files/write-atomic.ts";
import { gateLogFolder, missingFolders, restoreLogFolder, trialLogFolder } from "../judge/gates/log-folder.ts";
import type { RecordedStep } from "../judge/gates/store.ts";
import type { Records } from "../../record/storage.ts";

type KeptRooms = Pick<Records, "layout" | "objects"> & { readonly db: Records["database"]["db"] };

/**
 * Rewrites missing files that are written only once: specifications, and logs of gates and trials. Their bytes are in the object store.
 * Needs no configuration. If nothing is missing, it only reads file names.
 */
export async function restoreKeptFiles(dependencies: KeptRooms): Promise<void> {
  await restoreSpecs(dependencies);
  await restoreGateLogs(dependencies);
  await restoreTrialLogs(dependencies);
}

async function restoreSpecs({ db, layout, objects }: KeptRooms): Promise<void> {
  for (const { id, spec_digest } of await db.selectFrom("features").select(["id", "spec_digest"]).execute()) {
    const path = join(layout.feature(id), "spec.md");
    // No specification is empty. An empty file lost its content in a power cut, because it was written without fsync.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) continue;
    const bytes = await objects.get(spec_digest).catch(() => null);
    for (const folder of ["logs", "evidence"]) await nodeFileSystem.mkdirs(join(layout.feature(id), folder), 0o755);
    if (bytes !== null) await writeFileAtomic(nodeFileSystem, path, bytes, { durable: false, whole: false });
  }
}

async function restoreGateLogs({ db, layout, objects }: KeptRooms): Promise<void> {
  const runs = await db.selectFrom("gate_runs").select(["id", "feature_id"]).where("status", "!=", "cancelled").execute();
  const placed = runs.map(({ id, feature_id }) => ({ id, folder: gateLogFolder(layout, feature_id, id) }));
  for (const { id, folder } of missingFolders(placed)) {
    const row = await db.selectFrom("gate_runs").select("steps").where("id", "=", id).executeTakeFirst();
    if (row !== undefined) await restoreLogFolder(objects, folder, JSON.parse(row.steps) as RecordedStep[]);
  }
}

async function restoreTrialLogs({ db, layout, objects }: KeptRooms): Promise<void> {
  const trials = await db.selectFrom("trials").select(["id", "profile", "mode"]).execute();
  const placed = trials.map(({ id, profile, mode }) => ({
    id,
    folder: trialLogFolder(layout, id.slice(0, -`/${profile}/${mode}`.length), mode),
  }));
  for (const { id, folder } of missingFolders(placed)) {
    const row = await db.selectFrom("trials").select("steps").where("id", "=", id).executeTakeFirst();
    if (row !== undefined) await restoreLogFolder(objects, folder, JSON.parse(row.steps) as RecordedStep[]);
  }
}
