import { lstatSync, readFileSync } from "node:fs";
import type { Repository } from "../repository.ts";

const DEEPEST = 5;

/**
 * A text that changes whenever HEAD or one of the refs may point elsewhere. It comes from the stats of git's files, which takes a
 * fraction of a millisecond, so it is cheap to compare at each call; only git resolves the refs.
 */
export function refSigns({ gitDir, commonDir, config }: Repository, refs: readonly string[]): string {
  const places = [`${gitDir}/HEAD`, ...refs.map((ref) => `${commonDir}/${ref}`)];
  const seen = new Set<string>();
  const own = places.map((file) => followed(file, commonDir, seen));
  const all = config.get("extensions.refstorage") === "reftable" ? "reftable/tables.list" : "packed-refs";
  return [...own, signature(`${commonDir}/${all}`)].join("\n");
}

/** The sign of a ref's file and of the refs it names. git replaces such a file and never writes into it. */
function followed(file: string, commonDir: string, seen: Set<string>, depth = 0): string {
  // HEAD usually names one of the other refs.
  if (seen.has(file)) return "";
  seen.add(file);
  const sign = signature(file);
  const next = depth === DEEPEST ? null : targetOf(file, sign);
  return next === null ? sign : `${sign}>${next}>${followed(`${commonDir}/${next}`, commonDir, seen, depth + 1)}`;
}

const targets = new Map<string, { readonly sign: string; readonly target: string | null }>();

/** The target of a symbolic ref; read again only if its file was replaced. */
function targetOf(file: string, sign: string): string | null {
  const known = targets.get(file);
  if (known?.sign === sign) return known.target;
  const [, target = null] = /^ref: (refs\/\S+)\s*$/.exec(textOf(file)) ?? [];
  targets.set(file, { sign, target });
  return target;
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
