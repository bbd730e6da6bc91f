import { lstatSync, mkdtempSync, readdirSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTreeNow } from "../files/remove-tree.ts";

/** A pool of empty temporary folders. Checking that one is still empty is cheaper than creating and removing it. */
export interface EmptyFolders {
  take(): string;
  giveBack(path: string): void;
}

export function emptyFolders(prefix: string): EmptyFolders {
  const made = new Map<string, Stats>();
  const free: string[] = [];
  let isTidied = false;

  function make(): string {
    if (!isTidied) process.once("exit", () => free.forEach((path) => remove(path)));
    isTidied = true;
    const path = mkdtempSync(join(tmpdir(), prefix));
    made.set(path, lstatSync(path));
    return path;
  }

  function remove(path: string): void {
    made.delete(path);
    removeTreeNow(path);
  }

  return {
    take() {
      const path = free.pop();
      if (path === undefined) return make();
      if (isUntouched(path, made.get(path))) return path;
      remove(path);
      return make();
    },
    giveBack(path) {
      if (isUntouched(path, made.get(path))) free.push(path);
      else remove(path);
    },
  };
}

/** Still empty, and the same folder with the same permissions. */
function isUntouched(path: string, was: Stats | undefined): boolean {
  const is = lstatSync(path, { throwIfNoEntry: false });
  const isSame = is?.ino === was?.ino && is?.mode === was?.mode && is?.uid === was?.uid && is?.dev === was?.dev;
  return is?.isDirectory() === true && isSame && readdirSync(path).length === 0;
}
