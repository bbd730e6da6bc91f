import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Blobs } from "@slipway/durable/environment";
import { hasCode } from "../../../host/files/file-system.ts";
import { removeTree } from "../../../host/files/remove-tree.ts";
import { translateFileError } from "../../../host/files/write-atomic.ts";
import type { Layout } from "../../../host/layout.ts";
import type { RecordedStep } from "./store.ts";

/** The folder for the logs of a feature's gate run; `id` is the run's. */
export function gateLogFolder(layout: Layout, feature: string, id: string): string {
  return join(layout.feature(feature), "logs", id.replaceAll(/[^A-Za-z0-9._-]+/g, "_").slice(-120));
}

/** The folder for the logs of one mode of a trial; `id` is the call's, without profile and mode. */
export function trialLogFolder(layout: Layout, id: string, mode: string): string {
  return join(layout.state, "trials", id.replaceAll(/[^A-Za-z0-9._-]+/g, "_").slice(-100), mode);
}

/** Log folders that do not exist. Reads each parent once: there may be thousands of runs. */
export function missingFolders<T extends { readonly folder: string }>(wanted: readonly T[]): T[] {
  return [...Map.groupBy(wanted, ({ folder }) => dirname(folder))].flatMap(([parent, runs]) => {
    const present = new Set(namesIn(parent));
    return runs.filter(({ folder }) => !present.has(basename(folder)));
  });
}

/**
 * Rewrites the logs of one run from the object store. The folder is renamed into place, so an existing folder is complete. It is created
 * even if no step has run, so that it does not look missing. A log whose object is lost is omitted.
 */
export async function restoreLogFolder(objects: Blobs, folder: string, steps: readonly RecordedStep[]): Promise<void> {
  const logs = await Promise.all(
    steps
      .filter(({ status }) => status !== "skipped")
      .map(async ({ log_path, log_digest }) => ({ name: basename(log_path), bytes: await bytesOf(objects, log_digest) })),
  );
  const staged = join(dirname(folder), `.slipway-${randomBytes(8).toString("hex")}.tmp`);
  try {
    mkdirSync(staged, { recursive: true });
    for (const { name, bytes } of logs) if (bytes !== null) writeFileSync(join(staged, name), bytes, { mode: 0o600 });
    renameSync(staged, folder);
  } catch (error) {
    await removeTree(staged);
    // Another process was faster.
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw translateFileError(error, folder);
  }
}

/** The same for a run that is about to be shown, one log at a time. Returns the steps with the current paths of their logs. */
export async function stepsWithLogs(objects: Blobs, folder: string, steps: readonly RecordedStep[]): Promise<RecordedStep[]> {
  if (!existsSync(folder)) await restoreLogFolder(objects, folder, steps);
  const located = steps.map((step) => ({ ...step, log_path: join(folder, basename(step.log_path)) }));
  for (const { status, log_path, log_digest } of located) {
    if (status === "skipped" || existsSync(log_path)) continue;
    const bytes = await bytesOf(objects, log_digest);
    if (bytes !== null) writeFileSync(log_path, bytes, { mode: 0o600 });
  }
  return located;
}

/** An empty log is not stored as an object. */
async function bytesOf(objects: Blobs, digest: string | null): Promise<Uint8Array | null> {
  return digest === null ? Buffer.alloc(0) : objects.get(digest).catch(() => null);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw translateFileError(error, folder);
  }
}
