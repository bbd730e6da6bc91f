import { createHash, type Hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { SlipwayError } from "../../schema/errors.ts";
import { inFolderOf, openClosedFolder, openFolder } from "./beneath.ts";
import { hasCode } from "./file-system.ts";

const REGULAR = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface CopyLimits {
  readonly bytes: number;
  readonly entries: number;
}

export interface Copied {
  readonly files: number;
  readonly bytes: number;
  /** Over paths, modes and contents. */
  readonly digest: string;
}

interface Tally {
  files: number;
  bytes: number;
  entries: number;
  readonly hash: Hash;
}

/**
 * Copies a path below one root to the same path below another: files, folders and links (as links). Omits everything else and the
 * paths for which `skip` is true. Null if the path does not exist.
 */
export function copyTree(
  from: string,
  to: string,
  path: string,
  limits: CopyLimits,
  skip: (path: string) => boolean = () => false,
): Copied | null {
  const tally: Tally = { files: 0, bytes: 0, entries: 0, hash: createHash("sha256") };
  try {
    inFolderOf(from, path, (source) =>
      inFolderOf(to, path, (target) => copyEntry(source, target, path, { limits, skip, tally }), { make: true }),
    );
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  return { files: tally.files, bytes: tally.bytes, digest: tally.hash.digest("hex") };
}

interface Copying {
  readonly limits: CopyLimits;
  readonly skip: (path: string) => boolean;
  readonly tally: Tally;
}

function copyEntry(source: string, target: string, path: string, copying: Copying): void {
  const { limits, skip, tally } = copying;
  if (skip(path)) return;
  const found = lstatSync(source);
  if (++tally.entries > limits.entries) throw tooMuch(path, `more than ${limits.entries} files`);
  if (found.isDirectory()) return copyFolder(source, target, path, copying);
  if (lstatSync(target, { throwIfNoEntry: false })?.isDirectory() === false) unlinkSync(target);
  if (found.isSymbolicLink()) {
    const link = readlinkSync(source, { encoding: "buffer" });
    symlinkSync(link, target);
    tally.hash.update(`link ${path}\0`).update(link);
    return;
  }
  if (found.isFile()) copyFile(source, target, path, copying);
}

function copyFolder(source: string, target: string, path: string, copying: Copying): void {
  try {
    mkdirSync(target, 0o755);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  using folder = openClosedFolder(source);
  using copy = openFolder(target);
  for (const name of readdirSync(folder.place).toSorted())
    copyEntry(`${folder.place}/${name}`, `${copy.place}/${name}`, `${path}/${name}`, copying);
}

function copyFile(source: string, target: string, path: string, { limits, tally }: Copying): void {
  const descriptor = openSync(source, REGULAR);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) return;
    tally.bytes += found.size;
    if (tally.bytes > limits.bytes) throw tooMuch(path, `more than ${limits.bytes} bytes`);
    const opened = `/proc/self/fd/${descriptor}`;
    copyFileSync(
      lstatSync(opened, { throwIfNoEntry: false }) === undefined ? source : opened,
      target,
      constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL,
    );
    const mode = (found.mode & 0o100) === 0 ? 0o644 : 0o755;
    chmodSync(target, mode);
    tally.files++;
    tally.hash.update(`file ${path}\0${mode}\0`).update(createHash("sha256").update(readFileSync(descriptor)).digest());
  } finally {
    closeSync(descriptor);
  }
}

function tooMuch(path: string, what: string): SlipwayError {
  return new SlipwayError("sandbox_limit_exceeded", `The products of a step are too large: ${what}, reached at ${path}.`, {
    path,
    suggested_next_actions: ["Name fewer or smaller paths in `produces` of slipway/gates.yaml."],
  });
}
