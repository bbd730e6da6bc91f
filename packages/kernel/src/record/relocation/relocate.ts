import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "@slipway/durable/errors";
import { hasCode, nodeFileSystem as files } from "../../host/files/file-system.ts";
import { makePrivateFolder } from "../../host/files/private-folder.ts";
import { ensureDirectory, translateFileError } from "../../host/files/write-atomic.ts";
import { isTracked } from "../../host/git/tracked.ts";
import type { Layout } from "../../host/layout.ts";
import { holdDatabase, isMarked, markMoved, withoutMark } from "./database.ts";
import { filesToMove, formerPlaces } from "./former.ts";

export interface RelocationOptions {
  /** Told after each thing that was done; the kill suite dies there. */
  readonly onDone?: (what: string) => void;
  /** How long another process that has the old database open is waited for. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/**
 * Takes over what Slipway 0.1 kept in the checkout. Until the new database has its name, the old place is complete; from then on the
 * new one is, and the old one is marked so that no Slipway opens it. Killed in between, it is done again from where that is known.
 */
export async function relocate(layout: Layout, options: RelocationOptions = {}): Promise<void> {
  const { database } = formerPlaces(layout);
  if (!existsSync(layout.database) && (await isTracked(layout.root, relative(layout.root, database)))) throw committed(database);
  const until = Date.now() + (options.patienceMs ?? PATIENCE_MS);
  while (existsSync(database)) {
    const held = holdDatabase(database);
    if (held !== null) {
      try {
        return await move(layout, held, options.onDone ?? (() => undefined));
      } finally {
        held.close();
      }
    }
    if (Date.now() >= until) throw inUse(database);
    await sleep(LOOK_AGAIN_MS);
  }
}

/** With the old database to itself. */
async function move(layout: Layout, held: DatabaseSync, done: (what: string) => void): Promise<void> {
  const former = formerPlaces(layout);
  if (!existsSync(layout.database)) {
    makePrivateFolder(layout.truth);
    await files.syncDirectory(layout.commonDir);
    await takeFiles(layout, done);
    const copy = `${layout.database}.new`;
    for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(`${copy}${ending}`, { force: true });
    await backup(held, copy);
    withoutMark(copy);
    chmodSync(copy, 0o600);
    await files.syncFile(copy);
    done("copied the database");
    markMoved(held);
    done("marked the old database");
    renameSync(copy, layout.database);
    await files.syncDirectory(layout.truth);
    done("showed the new database");
  } else if (!isMarked(held)) throw twice(former.database, layout.database);
  await rm(former.objects, { recursive: true, force: true });
  done("removed the old objects");
  // What cannot be removed is in nobody's way.
  for (const folder of former.unused) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  // SQLite keeps an empty one for as long as it has the file to itself.
  rmSync(`${former.database}-journal`, { force: true });
  rmSync(former.database, { force: true });
  done("removed the old database");
}

/** The old ones stay until the new database is there. */
async function takeFiles(layout: Layout, done: (what: string) => void): Promise<void> {
  const folders = new Set<string>();
  for (const [from, to] of filesToMove(layout)) {
    const folder = dirname(to);
    if (!folders.has(folder)) await ensureDirectory(files, folder, 0o700);
    folders.add(folder);
    await takeFile(from, to);
    done(`took ${from}`);
  }
  for (const folder of folders) await files.syncDirectory(folder);
}

async function takeFile(from: string, to: string): Promise<void> {
  try {
    // A copy that was broken off has no name yet, so what has one is whole.
    if (existsSync(to)) return;
    try {
      linkSync(from, to);
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOSPC", "EDQUOT")) throw error;
      // Another disk, or one without links.
      copyFileSync(from, `${to}.new`);
      await files.syncFile(`${to}.new`);
      renameSync(`${to}.new`, to);
    }
    chmodSync(to, 0o600);
  } catch (error) {
    throw translateFileError(error, to);
  }
}

function inUse(file: string): SlipwayError {
  return new SlipwayError("database_locked", `Another Slipway has ${file} open, so it cannot be moved to its new place yet.`, {
    file,
    suggested_next_actions: [
      "End it: an older `slipway run`, `slipway watch` or `slipway mcp` of this repository, also one that an editor has started. Then try again.",
    ],
  });
}

function committed(file: string): SlipwayError {
  return new SlipwayError(
    "repository_unsuitable",
    `${file} is committed: what it says was written by whoever committed it. It is not used.`,
    {
      file,
      suggested_next_actions: ["Take it out of the repository: `git rm -r --cached .slipway`, then move the file away."],
    },
  );
}

function twice(old: string, current: string): SlipwayError {
  return new SlipwayError(
    "operation_conflict",
    `There are two databases: ${current}, and ${old}, which an older Slipway has written since. Nothing was changed.`,
    {
      file: old,
      requires_human: true,
      suggested_next_actions: [`Use one version of Slipway only, and move ${old} away; \`slipway status\` then shows the other one.`],
    },
  );
}
