import { decodePath, encodePath, splitZero } from "./names.ts";
import type { Git } from "./runner.ts";

export interface RawEntry {
  readonly path: string;
  readonly status: "A" | "M" | "D" | "T";
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldOid: string;
  readonly newOid: string;
}

export const ABSENT = "000000";
export const SYMLINK = "120000";
export const GITLINK = "160000";
export const EXECUTABLE = "100755";

/** The differences between two trees; a rename is a deletion and an addition. */
export async function rawBetween(git: Git, from: string, to: string): Promise<RawEntry[]> {
  const args = ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none", "--end-of-options", from, to];
  return parseRaw(splitZero((await git.run(args)).stdout));
}

/** Parses pairs of `:100644 100755 <oid> <oid> M` and a path, each ended by NUL. */
export function parseRaw(fields: readonly Buffer[]): RawEntry[] {
  const entries: RawEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldOid = "", newOid = "", status = ""] = String(fields[at]).slice(1).split(" ");
    entries.push({ path: decodePath(fields[at + 1] ?? Buffer.alloc(0)), status: statusOf(status), oldMode, newMode, oldOid, newOid });
  }
  return entries;
}

function statusOf(letter: string): RawEntry["status"] {
  return letter === "A" || letter === "D" || letter === "T" ? letter : "M";
}

/** Input for `update-index -z --index-info` that sets the new side of the entries. */
export function indexInfo(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ path, newMode, newOid }) => [
      Buffer.from(newMode === ABSENT ? `0 ${newOid}\t` : `${newMode} ${newOid} 0\t`),
      encodePath(path),
      Buffer.from([0]),
    ]),
  );
}

export function removalInfo(paths: readonly string[], objectFormat: "sha1" | "sha256"): Buffer {
  const newOid = "0".repeat(objectFormat === "sha1" ? 40 : 64);
  return indexInfo(paths.map((path) => ({ path, status: "D", oldMode: ABSENT, newMode: ABSENT, oldOid: newOid, newOid })));
}

/** The reverse change. */
export function reversed({ path, status, oldMode, newMode, oldOid, newOid }: RawEntry): RawEntry {
  const opposite = { A: "D", D: "A", M: "M", T: "T" } as const;
  return { path, status: opposite[status], oldMode: newMode, newMode: oldMode, oldOid: newOid, newOid: oldOid };
}
