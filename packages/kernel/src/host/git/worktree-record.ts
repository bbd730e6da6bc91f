import { lstatSync, mkdirSync, readFileSync, rmdirSync, type Stats } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { systemHost } from "@slipway/durable/host";
import { removeTree } from "../files/remove-tree.ts";
import { z } from "zod";
import { encodeRefPart } from "./names.ts";
import { realPlace } from "./real-place.ts";
import type { Repository } from "./repository.ts";

/** The path of a feature's worktree, and the harness's files for it in the git directory, out of reach of agents. */
export interface GitPlace {
  readonly path: string;
  readonly key: string;
  /** The index with the stat cache for snapshots. */
  readonly indexFile: string;
  /** A folder on the worktree's file system, for files that are put in place by a rename. */
  readonly scratch: string;
}

/**
 * Refuses a path that is neither in the repository (outside its git folder) nor in the repository's folder of ungated worktrees,
 * and a path behind a symbolic link.
 */
export async function placeOf(repo: Repository, worktree: string): Promise<GitPlace> {
  const { anchor, inside } = await anchored(repo, worktree);
  const path = join(anchor, inside);
  let current = anchor;
  for (const segment of inside.split(sep)) {
    current = join(current, segment);
    const found = statIfAny(current);
    if (found === undefined) break;
    if (found.isSymbolicLink() && current === path) throw swapped(path, "is a symbolic link");
    if (!found.isDirectory()) throw outOfBounds(worktree, `${current} is not a real folder`);
  }
  // No path inside the repository begins with "..".
  const key = encodeRefPart(anchor === repo.root ? inside : join("..", inside));
  return { path, key, indexFile: join(recordFolder(repo, key), "index"), scratch: scratchBeside(path) };
}

/** On the same file system as the worktree, and outside it. */
export function scratchBeside(worktree: string): string {
  return join(dirname(worktree), ".slipway-tmp");
}

/** Checks, before a worktree is read or written, that it is still the one that the harness made. */
export async function openPlace(repo: Repository, worktree: string): Promise<GitPlace> {
  const place = await placeOf(repo, worktree);
  if (statIfAny(place.path) === undefined) {
    throw new SlipwayError("worktree_changed", `The worktree ${place.path} is missing.`, {
      file: place.path,
      suggested_next_actions: ["Run `slipway resume`: it is rebuilt from the last anchor."],
    });
  }
  await assertPointer(repo, place.path);
  return place;
}

/** A worktree's `.git` must be git's pointer to a registration that points back. Returns its id, or null without a `.git`. */
export async function assertPointer(repo: Repository, path: string): Promise<string | null> {
  const file = join(path, ".git");
  const found = statIfAny(file);
  if (found === undefined) return null;
  if (!found.isFile()) throw swapped(path, "has a .git that is not the file git put there");
  const [, target = ""] = /^gitdir: (.+)\n?$/.exec(readFileSync(file, "utf8").slice(0, 8_192)) ?? [];
  const id = basename(target);
  if (resolve(path, target) !== join(repo.commonDir, "worktrees", id)) throw swapped(path, "has a .git file that points elsewhere");
  const back = await registeredPath(repo, id);
  if (back !== path) throw swapped(path, "has the .git file of another worktree");
  return id;
}

/** The folder of a registration below `worktrees/`. */
export async function registeredPath(repo: Repository, id: string): Promise<string | undefined> {
  const text = textIfAny(join(repo.commonDir, "worktrees", id, "gitdir"));
  return text === undefined ? undefined : dirname(resolve(join(repo.commonDir, "worktrees", id), text.trim()));
}

const recordSchema = z.object({ featureId: z.string(), branch: z.string(), path: z.string(), baseCommit: z.string() });
export type WorktreeRecord = z.infer<typeof recordSchema>;

export async function readRecord(repo: Repository, key: string): Promise<WorktreeRecord | undefined> {
  // A file torn by a power cut counts as missing; the branch has the same information.
  const parsed = recordSchema.safeParse(parseJson(textIfAny(join(recordFolder(repo, key), "record.json")) ?? "null"));
  return parsed.success ? parsed.data : undefined;
}

export async function writeRecord(repo: Repository, key: string, record: WorktreeRecord): Promise<void> {
  await replaceFile(join(recordFolder(repo, key), "record.json"), `${JSON.stringify(record)}\n`);
}

export async function dropRecord(repo: Repository, key: string): Promise<void> {
  await removeTree(recordFolder(repo, key));
}

export function recordFolder(repo: Repository, key = ""): string {
  return join(repo.commonDir, "slipway", "worktrees", key);
}

export async function replaceFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}

/** Creates a folder beside the worktree, named after this process so that leftovers can be recognised. */
export async function enterScratch(place: Pick<GitPlace, "scratch">, kind: "new" | "stage" | "trash"): Promise<string> {
  const folder = join(place.scratch, kind, scratchName());
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function scratchName(): string {
  return `${process.pid}-${randomBytes(6).toString("hex")}`;
}

/** True if the process that made a folder of that name has died. */
export function isLeftOver(name: string): boolean {
  const host = systemHost();
  return /^\d+-/.test(name) && host.isDead({ host: host.host, pid: Number.parseInt(name, 10), startedAt: "" });
}

export async function leaveScratch(place: Pick<GitPlace, "scratch">, folder: string): Promise<void> {
  await removeTree(folder);
  // If another writer uses it, it is not empty and stays.
  for (const parent of [dirname(folder), place.scratch]) {
    try {
      rmdirSync(parent);
    } catch {
      return;
    }
  }
}

/** False for a place that was this repository's before it, or the state folder, was moved. */
export async function isOwnPlace(repo: Repository, worktree: string): Promise<boolean> {
  return (await anchorOf(repo, worktree)) !== null;
}

interface Anchored {
  readonly anchor: string;
  readonly inside: string;
}

async function anchored(repo: Repository, worktree: string): Promise<Anchored> {
  const found = await anchorOf(repo, worktree);
  if (found !== null) return found;
  throw outOfBounds(worktree, `it must be inside the repository and outside its .git folder, or in ${repo.ungated.worktrees}`);
}

/** The allowed parent folder of a worktree, and the path from there; null if there is none. */
async function anchorOf(repo: Repository, worktree: string): Promise<Anchored | null> {
  const wanted = resolve(repo.root, worktree);
  // The path may contain a link (/tmp on macOS), so its real path is compared as well.
  for (const path of [wanted, await realPlace(wanted)]) {
    for (const anchor of [repo.ungated.worktrees, repo.root]) {
      const inside = relative(anchor, path);
      if (inside === "" || leaves(inside)) continue;
      if (anchor === repo.root && inside.split(sep)[0]?.toLowerCase() === ".git") break;
      return { anchor, inside };
    }
  }
  return null;
}

function leaves(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** Synchronous: called many times for each change, and the thread pool would cost more than the call. */
function statIfAny(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function textIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function swapped(path: string, what: string): SlipwayError {
  return new SlipwayError("worktree_swapped", `The worktree ${path} ${what}. Slipway no longer uses it and changed nothing in it.`, {
    file: path,
    suggested_next_actions: [`Look at ${path}, move it away, then run \`slipway resume\`: the worktree is rebuilt from the last anchor.`],
  });
}

export function outOfBounds(path: string, why: string): SlipwayError {
  return new SlipwayError("path_out_of_bounds", `The worktree cannot be at ${path}: ${why}.`, {
    file: path,
    suggested_next_actions: [
      "Set worktree.root in slipway/policy.yaml to a folder inside the repository, such as .worktrees, or leave it out.",
      "If the repository or the state folder was moved: end the feature's run with `slipway stop RUN --cancel`, then `slipway retry FEATURE` makes the worktree in its new place.",
    ],
  });
}
