import { chmodSync, closeSync, constants, existsSync, fstatSync, fchmodSync, mkdirSync, openSync } from "node:fs";
import { SlipwayError } from "../../schema/errors.ts";
import { visible } from "../../paths/paths.ts";
import { hasCode } from "./file-system.ts";

/*
 * The only code that reads, writes and removes files within reach of untrusted code. It opens each folder relative to its opened
 * parent and follows no link, so no path leads out of the root, even if a link is put on the way concurrently. Node cannot open
 * relative to a descriptor, but Linux can through /proc/self/fd. On other systems each folder is checked before it is entered,
 * which stops existing links but not one that is put there in between.
 */

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Opens an unreadable path, only to refer to it. Node has no constant for this flag. */
const O_PATH = 0o10000000;

export interface OpenFolder extends Disposable {
  /** A path to the opened folder itself, even if its original path leads elsewhere by now. */
  readonly place: string;
  readonly descriptor: number | null;
}

/** Opens a folder; fails with ELOOP for a link and ENOTDIR for anything else. */
export function openFolder(path: string | Buffer): OpenFolder {
  if (!hasDescriptors()) {
    const descriptor = openSync(path, FOLDER);
    closeSync(descriptor);
    return { place: path.toString(), descriptor: null, [Symbol.dispose]: () => undefined };
  }
  const descriptor = openSync(path, FOLDER);
  return { place: `/proc/self/fd/${descriptor}`, descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Like `openFolder`, but first makes a folder accessible whose owner has removed all permissions. */
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
  /** Create missing folders. */
  readonly make?: boolean;
  /** Make inaccessible folders accessible. */
  readonly open?: boolean;
}

/** Calls `work` with a safe path to the last component of `path`, in its opened folder below the root. */
export function inFolderOf<T>(root: string, path: string, work: (file: string) => T, options: InFolderOptions = {}): T {
  return inFolderOfBytes(root, Buffer.from(path), (file) => work(file.toString()), options);
}

/** The same for names that are not valid UTF-8. */
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

/** Only Linux can open a path relative to a descriptor. */
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
