import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { SlipwayError } from "../../schema/errors.ts";
import { hasCode } from "./file-system.ts";
import { translateFileError } from "./write-atomic.ts";

const OTHERS = 0o077;
const OWN = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** Creates a folder with mode 0700, whatever the umask, and restricts an existing one. Refuses a link. */
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

/** Creates an empty file with mode 0600, or restricts an existing one. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // An existing file is not opened: closing it would release the POSIX locks of this process on a database.
    if (!hasCode(error, "EEXIST")) throw translateFileError(error, path);
    const found = lstatSync(path);
    if (!found.isFile()) throw notAFolder(path, "is not a regular file");
    close(path, found.mode);
  }
}

function close(path: string, mode: number): void {
  if ((mode & OTHERS) === 0) return;
  try {
    chmodSync(path, mode & OWN);
  } catch (error) {
    // Without file modes, or in another user's repository, the mode cannot be changed. Refuse only what others can write.
    if ((mode & WRITABLE_BY_OTHERS) !== 0) throw translateFileError(error, path);
  }
}

function notAFolder(path: string, what: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `${path} ${what}. Slipway would write its files elsewhere, so nothing was written.`, {
    file: path,
    suggested_next_actions: [`Look at ${path}, remove it (\`git rm --cached\` too, if it is committed), and try again.`],
  });
}
