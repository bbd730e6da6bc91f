import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "../errors.ts";
import type { IndexEntry } from "@slipway/kernel/host/git/fast-path/index-file";
import type { Repository } from "@slipway/kernel/host/git/repository";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import { readBelow } from "@slipway/kernel/host/file-views/files";
import { isLinked, type StandingPack } from "./materialise.ts";
import { diffOfEdits, modeOf } from "./edits.ts";
import { blobId } from "./source.ts";
import { inSlices } from "@slipway/kernel/host/sandbox/turns";

/** The actual changes in an agent's folder. */
export interface PackChanges {
  /** A unified diff against the pack's tree, with binary files; empty if no permitted file changed. */
  readonly diff: string;
  readonly changed: readonly string[];
  /** Changes that are not permitted. */
  readonly dropped: readonly Dropped[];
}

export interface Dropped {
  /** A folder, with a trailing "/", stands for everything in it. */
  readonly path: string;
  readonly what: "created" | "changed" | "removed";
  readonly reason: string;
}

interface Found {
  readonly path: string;
  readonly stats: Stats;
}

/** Why a change is not adopted. */
export const READ_ONLY = "it may be read and not changed";

/** Checks every file of the pack. Returns the diff of permitted changes, and names the others. */
export async function packChanges(repo: Repository, pack: StandingPack): Promise<PackChanges> {
  const { plan, folder } = pack;
  const base = new Map(plan.files.map((file) => [file.path, file]));
  const found = await walk(pack);
  const edits = new Map<string, IndexEntry | null>();
  const dropped: Dropped[] = [];
  const drop = (path: string, what: Dropped["what"], reason: string) => dropped.push({ path, what, reason });
  const mayChange = (path: string) => {
    const ruling = plan.rulings(path);
    return ruling.kind === "shown" && ruling.writable;
  };
  const contents = new Map<string, Buffer>();

  await inSlices(found.entries, ({ path, stats }) => {
    const before = base.get(path);
    if (before !== undefined && isLinked(pack, path, stats)) return;
    const what = before === undefined ? "created" : "changed";
    if (!stats.isFile()) return void drop(path, what, stats.isSymbolicLink() ? "a symbolic link" : "not a file");
    const content = contentOf(folder, path);
    if (content instanceof SlipwayError) return void drop(path, what, content.message);
    const oid = blobId(content, repo.objectFormat);
    const mode = (stats.mode & 0o100) === 0 ? "100644" : "100755";
    if (before?.oid === oid && modeOf(before) === mode) return;
    if (!mayChange(path)) return void drop(path, what, READ_ONLY);
    edits.set(path, { mode, oid });
    contents.set(oid, content);
  });
  const there = new Set(found.entries.map(({ path }) => path));
  for (const path of base.keys()) {
    if (there.has(path)) continue;
    if (mayChange(path)) edits.set(path, null);
    else drop(path, "removed", READ_ONLY);
  }
  for (const path of found.folders) drop(path, "created", READ_ONLY);
  const diff = await diffOfEdits(repo, plan, edits, contents);
  return { diff, changed: [...edits.keys()].toSorted(), dropped: dropped.toSorted((left, right) => (left.path < right.path ? -1 : 1)) };
}

/** Brings the folder from any state to these changes; dropped changes stay dropped. */
export async function restoreChanges(repo: Repository, pack: StandingPack, { diff }: PackChanges): Promise<void> {
  const now = await packChanges(repo, pack);
  if (now.diff === diff) return;
  const git = await repo.vault({ workTree: pack.folder });
  if (now.diff !== "") await git.run(["apply", "--reverse", "--whitespace=nowarn", "-"], { input: now.diff });
  if (diff !== "") await git.run(["apply", "--whitespace=nowarn", "-"], { input: diff });
}

/** A folder created by the agent is only listed if a file in it may count. */
async function walk({ folder, plan, view }: StandingPack): Promise<{ entries: Found[]; folders: string[] }> {
  const known = new Set(view.folders);
  const entries: Found[] = [];
  const folders: string[] = [];
  const open = ["."];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    await inSlices(names(folder, at), (name) => {
      const path = at === "." ? name : `${at}/${name}`;
      const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (stats === undefined) return;
      if (!stats.isDirectory()) entries.push({ path, stats });
      else if (known.has(path) || isWritableBelow(plan, path)) open.push(path);
      else folders.push(`${path}/`);
    });
  }
  return { entries, folders };
}

/** A folder that cannot be listed counts as empty. */
function names(folder: string, at: string): string[] {
  try {
    return readdirSync(join(folder, at));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG")) return [];
    throw error;
  }
}

function isWritableBelow({ rulings, writable }: StandingPack["plan"], path: string): boolean {
  if (/(^|\/)\.git$/i.test(path)) return false;
  const ruling = rulings(`${path}/x`);
  return (ruling.kind === "shown" && ruling.writable) || writable.some((file) => file.startsWith(`${path}/`));
}

function contentOf(folder: string, path: string): Buffer | SlipwayError {
  try {
    return readBelow(folder, path);
  } catch (error) {
    if (error instanceof SlipwayError) return error;
    throw error;
  }
}
