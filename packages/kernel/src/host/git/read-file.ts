import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { assertCanonicalPath, visible } from "../../paths/paths.ts";
import { openPlace } from "./worktree-record.ts";
import type { Repository } from "./repository.ts";

export interface FileText {
  readonly path: string;
  readonly bytes: number;
  readonly binary: boolean;
  /** Null for a binary file. */
  readonly text: string | null;
  /** Only the beginning is included. */
  readonly truncated: boolean;
}

const MAX_SHOWN_BYTES = 512 * 1024;
const LOOKED_AT_BYTES = 8_000;

/** Reads a regular file of a worktree from disk. Follows no link, and refuses git's own folder. */
export async function readWorktreeFile(repo: Repository, worktree: string, wanted: string): Promise<FileText> {
  const place = await openPlace(repo, worktree);
  const path = assertCanonicalPath(wanted);
  await assertRealFolders(place.path, path);
  const handle = await openRegular(join(place.path, path), path);
  try {
    // Check again: a link that was put on the way in between would have changed the file.
    await assertRealFolders(place.path, path);
    await assertSame(handle, join(place.path, path), path);
    return describe(path, await readStart(handle));
  } finally {
    await handle.close();
  }
}

async function assertRealFolders(root: string, path: string): Promise<void> {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
    const found = await lstat(join(root, path.slice(0, end))).catch(() => undefined);
    if (found === undefined) throw missing(path);
    if (found.isSymbolicLink()) throw linked(path, path.slice(0, end));
    if (!found.isDirectory()) throw missing(path);
  }
}

async function openRegular(file: string, path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe would block.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ELOOP") throw linked(path, path);
      throw missing(path, error);
    },
  );
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new SlipwayError("input_path_not_found", `${visible(path)} is not a file.`, {
    path,
    suggested_next_actions: ["Name a file; repo.search finds text in all of them."],
  });
}

async function assertSame(handle: FileHandle, file: string, path: string): Promise<void> {
  const [opened, there] = [await handle.stat(), await lstat(file).catch(() => undefined)];
  if (opened.ino !== there?.ino || opened.dev !== there.dev) throw linked(path, path);
}

async function readStart(handle: FileHandle): Promise<{ start: Buffer; bytes: number }> {
  const { size } = await handle.stat();
  const start = Buffer.alloc(Math.min(size, MAX_SHOWN_BYTES));
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  return { start: start.subarray(0, bytesRead), bytes: size };
}

function describe(path: string, { start, bytes }: { start: Buffer; bytes: number }): FileText {
  const truncated = bytes > start.length;
  const text = start.subarray(0, LOOKED_AT_BYTES).includes(0) ? null : decode(start, truncated);
  return { path, bytes, binary: text === null, text, truncated };
}

/** Null for bytes that are not UTF-8. Drops a character that the end cuts in two. */
function decode(bytes: Buffer, truncated: boolean): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: truncated });
  } catch {
    return null;
  }
}

function missing(path: string, cause?: unknown): SlipwayError {
  const details = { path, suggested_next_actions: ["Check the path; repo.search and repo.diff with --name-only show the files."] };
  return new SlipwayError("input_path_not_found", `There is no file ${visible(path)} in the worktree.`, details, { cause });
}

function linked(path: string, link: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `${visible(path)} was not read: ${visible(link)} is a symbolic link.`, {
    path,
    link,
    suggested_next_actions: ["Name the file itself."],
  });
}
