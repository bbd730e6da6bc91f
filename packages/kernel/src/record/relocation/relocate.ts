import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode, nodeFileSystem as files } from "../../host/files/file-system.ts";
import { makePrivateFolder } from "../../host/files/private-folder.ts";
import { ensureDirectory, translateFileError } from "../../host/files/write-atomic.ts";
import { isTracked } from "../../host/git/tracked-paths.ts";
import type { Layout } from "../../host/layout.ts";
import { holdDatabase, isMarked, markMoved, withoutMark } from "./database.ts";
import { filesToMove, formerPlaces } from "./former.ts";

export interface RelocationOptions {
  /** Called after each action; the kill suite kills the process here. */
  readonly onDone?: (what: string) => void;
  /** How long to wait for another process that has the old database open. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/**
 * Moves the records that Slipway 0.1 kept in the checkout. The old location is complete until the new database is renamed into place; from
 * then on the new one is, and the old database is marked so that no Slipway opens it. After a kill, the next call resumes from the state it
 * finds.
 */
export async function relocate(layout: Layout, options: RelocationOptions = {}): Promise<void> {
  const { database } = formerPlaces(layout);
  if (!existsSync(layout.database) && (await isTracked(layout.root, relative(layout.root, database)))) throw committed(database);
  const until = Date.now() + (options.patienceMs ?? PATIENCE_MS);
  while (existsSync(database)) {
    const exclusive = holdDatabase(database);
    if (exclusive !== null) {
      try {
        return await move(layout, exclusive, options.onDone ?? (() => undefined));
      } finally {
        exclusive.close();
      }
    }
    if (Date.now() >= until) throw inUse(database);
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Runs with exclusive access to the old database. */
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
  // A folder that cannot be removed does no harm.
  for (const folder of former.unused) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  // SQLite keeps an empty journal while it has exclusive access.
  rmSync(`${former.database}-journal`, { force: true });
  rmSync(former.database, { force: true });
  done("removed the old database");
}

/** The old files stay until the new database exists. */
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
    // A partial copy ends in `.new`, so a file under its final name is complete.
    if (existsSync(to)) return;
    try {
      linkSync(from, to);
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOSPC", "EDQUOT")) throw error;
      // Another disk, or a file system without hard links.
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
  return new SlipwayError("database_locked", `Another Slipway process has ${file} open, so it cannot be moved yet.`, {
    file,
    suggested_next_actions: [
      "Stop every older `slipway run`, `slipway watch` or `slipway mcp` of this repository, including those started by an editor. Then try again.",
    ],
  });
}

function committed(file: string): SlipwayError {
  return new SlipwayError(
    "repository_unsuitable",
    `${file} is committed to git, so its contents cannot be trusted. Slipway does not use it.`,
    {
      file,
      suggested_next_actions: ["Remove it from the repository: `git rm -r --cached .slipway`, then move the file away."],
    },
  );
}

function twice(old: string, current: string): SlipwayError {
  return new SlipwayError(
    "operation_conflict",
    `Two databases exist: ${current}, and ${old}, which an older Slipway wrote later. Nothing was changed.`,
    {
      file: old,
      requires_human: true,
      suggested_next_actions: [`Use only one version of Slipway and move ${old} away; \`slipway status\` then shows ${current}.`],
    },
  );
}
