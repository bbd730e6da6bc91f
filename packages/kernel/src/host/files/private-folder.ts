import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode } from "./file-system.ts";
import { translateFileError } from "./write-atomic.ts";

const OTHERS = 0o077;
const OWN = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** Makes a folder that only this user may enter, whatever the umask, and closes one that others may enter. A link is refused, not followed. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, "EEXIST", "ENOTDIR", "ENOENT")) throw translateFileError(error, path);
  }
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) throw notAFolder(path, found?.isSymbolicLink() === true ? "is a symbolic link" : "is not a folder");
  close(path, found.mode);
}

/** Makes an empty file that only this user may read, or closes the one that is there. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // Not opened when it is there: closing it would give up every lock this process has on a database.
    if (!hasCode(error, "EEXIST")) throw translateFileError(error, path);
    const found = lstatSync(path);
    if (!found.isFile()) throw notAFolder(path, "is not a file of its own");
    close(path, found.mode);
  }
}

function close(path: string, mode: number): void {
  if ((mode & OTHERS) === 0) return;
  try {
    chmodSync(path, mode & OWN);
  } catch (error) {
    // On a disk without modes, or in another user's repository, nothing can be changed; what others can write is not used.
    if ((mode & WRITABLE_BY_OTHERS) !== 0) throw translateFileError(error, path);
  }
}

function notAFolder(path: string, what: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `${path} ${what}. Slipway's files would be written elsewhere; nothing was written.`, {
    file: path,
    suggested_next_actions: [`Look at ${path}, remove it (\`git rm --cached\` too, if it is committed), and try again.`],
  });
}
