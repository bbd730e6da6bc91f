import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "./repository.ts";

const DEEPEST = 5;

/**
 * A text that changes whenever HEAD or one of the refs may point elsewhere. It is read from git's own files, which takes a
 * fraction of a millisecond, so it can be asked at every call; what they point to, only git tells.
 */
export function refSigns({ gitDir, commonDir }: Repository, refs: readonly string[]): string {
  const shared = ["packed-refs", join("reftable", "tables.list")].map((name) => signature(join(commonDir, name)));
  return [followed(join(gitDir, "HEAD"), commonDir), ...refs.map((ref) => followed(join(commonDir, ref), commonDir)), ...shared].join("\n");
}

/** What a ref's own file says, and the files of the refs it names. */
function followed(file: string, commonDir: string, depth = 0): string {
  const text = textOf(file);
  const [, next] = /^ref: (refs\/\S+)\s*$/.exec(text) ?? [];
  return next === undefined || depth === DEEPEST ? text : `${text}${followed(join(commonDir, next), commonDir, depth + 1)}`;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function signature(file: string): string {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "" : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
}
