import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  lstatSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode } from "../files/file-system.ts";
import { visible } from "../../paths/paths.ts";
import { inFolderOf, linked } from "../files/beneath.ts";
import { removeTreeNow } from "../files/remove-tree.ts";
import type { TreeEntry } from "./file-tree.ts";

// Without O_NONBLOCK, opening a pipe would block.
const REGULAR = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
export const MAX_FILE_BYTES = 64 * 1024 ** 2;

/** Reads a regular file below the root without following links. */
export function readBelow(root: string, path: string): Buffer {
  try {
    return inFolderOf(root, path, (file) => {
      const descriptor = openSync(file, REGULAR);
      try {
        const found = fstatSync(descriptor);
        if (!found.isFile()) throw notAFile(path);
        if (found.size > MAX_FILE_BYTES) throw tooLarge(path, found.size);
        return readFileSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    });
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw missing(path, error);
    if (hasCode(error, "ELOOP")) throw linked(path, error);
    throw error;
  }
}

/** Replaces the file by a rename, so that it is never half written and other hard links to the old file keep their content. */
export function writeBelow(root: string, path: string, content: Uint8Array, executable: boolean): void {
  inFolderOf(
    root,
    path,
    (file) => {
      if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw notAFile(path);
      const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
      try {
        writeFileSync(temporary, content, { flag: "wx", mode: executable ? 0o755 : 0o644 });
        renameSync(temporary, file);
      } catch (error) {
        removeTreeNow(temporary);
        throw error;
      }
    },
    { make: true },
  );
}

/** Removes a file; the folder stays. */
export function removeBelow(root: string, path: string): void {
  try {
    inFolderOf(root, path, (file) => {
      if (lstatSync(file).isDirectory()) throw notAFile(path);
      unlinkSync(file);
    });
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw missing(path, error);
    throw error;
  }
}

/** Files and folders, sorted by name, without links, pipes and sockets. */
export function listBelow(root: string, folder: string): TreeEntry[] {
  const within = folder === "." ? "" : `${folder}/`;
  try {
    return inFolderOf(root, `${within}.`, (place) =>
      readdirSync(place, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isFile())
        .map((entry): TreeEntry => {
          const bytes = entry.isFile() ? (lstatSync(`${place}/${entry.name}`, { throwIfNoEntry: false })?.size ?? 0) : 0;
          return { path: `${within}${entry.name}`, kind: entry.isFile() ? "file" : "folder", bytes };
        })
        .toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    );
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw missing(folder, error);
    throw error;
  }
}

export function missing(path: string, cause?: unknown): SlipwayError {
  const details = {
    path,
    requires_human: false,
    suggested_next_actions: ["List the folder, or search with a pattern, to see which files exist."],
  };
  return new SlipwayError("input_path_not_found", `There is no ${visible(path)} in the context pack.`, details, { cause });
}

function notAFile(path: string): SlipwayError {
  return new SlipwayError("input_path_not_found", `${visible(path)} is not a file.`, {
    path,
    requires_human: false,
    suggested_next_actions: ["Name a file; list the folder to see its files."],
  });
}

function tooLarge(path: string, bytes: number): SlipwayError {
  return new SlipwayError("policy_violation", `${visible(path)} is too large to be read: ${bytes} bytes, at most ${MAX_FILE_BYTES}.`, {
    path,
    suggested_next_actions: ["Search in it instead."],
  });
}
