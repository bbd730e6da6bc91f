import { chmodSync, closeSync, constants, existsSync, fstatSync, fchmodSync, mkdirSync, openSync } from "node:fs";
import { SlipwayError } from "../../schema/errors.ts";
import { visible } from "../../paths/paths.ts";
import { hasCode } from "./file-system.ts";

/*
 * Files that untrusted code could reach are read, written and removed from here only. Each folder on the way is opened from the
 * one above it and no link is followed, so neither a link nor somebody who puts one there meanwhile leads out of the root.
 * Node cannot open relative to a descriptor; Linux can, through /proc/self/fd. Elsewhere every folder is looked at before it is
 * entered, which stops links that are there, not one that is put there in between.
 */

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Opens what may not be read, only to name it. Node has no constant for it. */
const O_PATH = 0o10000000;

export interface OpenFolder extends Disposable {
  /** Leads to the folder itself, whatever its path leads to by now. */
  readonly place: string;
  readonly descriptor: number | null;
}

/** Opens a folder that is no link; ELOOP or ENOTDIR for anything else. */
export function openFolder(path: string | Buffer): OpenFolder {
  if (!hasDescriptors()) {
    const descriptor = openSync(path, FOLDER);
    closeSync(descriptor);
    return { place: path.toString(), descriptor: null, [Symbol.dispose]: () => undefined };
  }
  const descriptor = openSync(path, FOLDER);
  return { place: `/proc/self/fd/${descriptor}`, descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** As `openFolder`, for one that its owner has closed to everybody: it is opened up first. */
export function openClosedFolder(path: string | Buffer): OpenFolder {
  try {
    const folder = openFolder(path);
    if (folder.descriptor !== null && (fstatSync(folder.descriptor).mode & 0o700) !== 0o700) fchmodSync(folder.descriptor, 0o700);
    return folder;
  } catch (error) {
    if (!hasCode(error, "EACCES") || !hasDescriptors()) throw error;
  }
  const named = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    chmodSync(`/proc/self/fd/${named}`, 0o700);
  } finally {
    closeSync(named);
  }
  return openFolder(path);
}

export interface InFolderOptions {
  /** Makes the folders that are missing. */
  readonly make?: boolean;
  /** Opens folders that their owner has closed. */
  readonly open?: boolean;
}

/** Works in the folder of a path below a root; `file` leads to the path's last name there. */
export function inFolderOf<T>(root: string, path: string, work: (file: string) => T, options: InFolderOptions = {}): T {
  return inFolderOfBytes(root, Buffer.from(path), (file) => work(file.toString()), options);
}

/** The same for names that need not be text. */
export function inFolderOfBytes<T>(root: string, path: Buffer, work: (file: Buffer) => T, options: InFolderOptions = {}): T {
  const enter = options.open === true ? openClosedFolder : openFolder;
  const opened = [enter(root)];
  const child = (name: Buffer) => Buffer.concat([Buffer.from(`${opened.at(-1)?.place}/`), name]);
  try {
    let start = 0;
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", start)) {
      const next = child(path.subarray(start, end));
      if (options.make === true && !existsSync(next)) mkdirSync(next);
      opened.push(enter(next));
      start = end + 1;
    }
    return work(child(path.subarray(start)));
  } catch (error) {
    if (hasCode(error, "ELOOP", "ENOTDIR")) throw linked(path.toString(), error);
    throw error;
  } finally {
    for (const folder of opened) folder[Symbol.dispose]();
  }
}

let known: boolean | null = null;

/** Only Linux opens a path below a descriptor. */
export function hasDescriptors(): boolean {
  known ??= existsSync("/proc/self/fd");
  return known;
}

export function linked(path: string, cause: unknown): SlipwayError {
  const details = { path, suggested_next_actions: ["Name the file itself."] };
  return new SlipwayError("path_out_of_bounds", `${visible(path)} leads through a symbolic link, which is not followed.`, details, {
    cause,
  });
}
