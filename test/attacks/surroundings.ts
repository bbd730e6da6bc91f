import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "vitest";
import type { Yard } from "./yard.ts";

/** Everything that an attack must not change: files of the whole home folder, the user's index, HEAD and refs, by content. */
type Surroundings = ReadonlyMap<string, string>;

/** `own` are the features that the attack works in: their branches and worktrees may change. */
function surroundings(yard: Yard, own: readonly string[]): Surroundings {
  const refs = lines(yard.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)"))
    .map((line) => line.split(" ", 1).concat(line) as [string, string])
    .filter(([name]) => !name.startsWith("refs/slipway/") && !own.some((feature) => name === `refs/heads/${feature}`));
  return new Map([
    ["HEAD", yard.git("symbolic-ref", "HEAD")],
    ["status", yard.git("status", "--porcelain", "--untracked-files=all")],
    ...refs,
    ...lines(yard.git("ls-files", "--stage")).map((line): [string, string] => [`staged ${line.split("\t")[1]}`, line]),
    ...filesIn(yard, own),
  ]);
}

/** Runs the attack, and checks that it changed nothing around it except what was allowed. */
export async function unharmed<T>(
  yard: Yard,
  own: readonly string[],
  attack: () => Promise<T>,
  allowed: readonly string[] = [],
): Promise<T> {
  const before = surroundings(yard, own);
  const result = await attack();
  expect(differences(before, surroundings(yard, own))).toEqual(allowed);
  return result;
}

function differences(before: Surroundings, after: Surroundings): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key)).toSorted();
}

/** By mode and digest, except for files that Slipway itself writes. */
function filesIn({ home, root }: Yard, own: readonly string[]): [string, string][] {
  const slipways = new Set([
    join(root, ".slipway"),
    join(root, ".worktrees", ".slipway-tmp"),
    ...own.map((feature) => join(root, ".worktrees", feature)),
    // Objects, hidden refs and the records of worktrees; refs and the index are compared through git.
    ...["objects", "refs", "logs", "worktrees", "slipway", "index", "packed-refs", "ORIG_HEAD"].map((name) => join(root, ".git", name)),
    join(home, "state"),
  ]);
  const walk = (folder: string): [string, string][] =>
    readdirSync(folder).flatMap((name): [string, string][] => {
      const path = join(folder, name);
      if (slipways.has(path)) return [];
      const found = lstatSync(path);
      if (found.isDirectory()) return walk(path);
      return [[relative(home, path), `${found.mode.toString(8)} ${contentOf(path, found)}`]];
    });
  return walk(home);
}

function contentOf(path: string, found: Stats): string {
  if (found.isSymbolicLink()) return readlinkSync(path);
  return found.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "not a file";
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
