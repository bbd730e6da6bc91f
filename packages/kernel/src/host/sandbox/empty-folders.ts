import { lstatSync, mkdtempSync, readdirSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTreeNow } from "../files/remove-tree.ts";

/** Temporary folders that are empty whenever they are taken. Making and removing one costs more than looking whether it still is. */
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

/** Nothing in it, and still the same folder with the same rights. */
function isUntouched(path: string, was: Stats | undefined): boolean {
  const is = lstatSync(path, { throwIfNoEntry: false });
  const isSame = is?.ino === was?.ino && is?.mode === was?.mode && is?.uid === was?.uid && is?.dev === was?.dev;
  return is?.isDirectory() === true && isSame && readdirSync(path).length === 0;
}
