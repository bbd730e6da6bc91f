import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { visible } from "../plans/paths.ts";
import { blobIdAt, statAt } from "./files.ts";
import { decodePath, splitZero } from "./names.ts";
import {
  DEFAULT_PATCH_LIMITS,
  entryOffences,
  flagsOf,
  nameOffence,
  twinOffences,
  type Offence,
  type PatchFlags,
  type PatchLimits,
} from "./patch-rules.ts";
import { unparsable } from "./patch-size.ts";
import { scratchName } from "./place.ts";
import { ABSENT, GITLINK, parseRaw, rawBetween, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import type { Git } from "./runner.ts";
import { moveFiles, takeSnapshot, worktreeChanged, type SnapshotOptions } from "./snapshot.ts";

export interface PatchChange extends RawEntry {
  readonly binary: boolean;
  /** Of the new content; 0 for a deletion. */
  readonly bytes: number;
}

export interface JudgedPatch {
  readonly tree: string;
  readonly changes: readonly PatchChange[];
  readonly flags: PatchFlags;
}

export interface PatchToJudge {
  readonly baseTree: string;
  readonly patch: Uint8Array;
  readonly limits?: PatchLimits;
}

/**
 * What a patch really does. Only git reads it: applied to an index of its own, compared with the base. The worktree is not
 * touched. Throws patch_apply_failed, or patch_rejected with every offence.
 */
export async function judgePatch(repo: Repository, { baseTree, patch, limits: given }: PatchToJudge): Promise<JudgedPatch> {
  const limits = { ...DEFAULT_PATCH_LIMITS, ...given };
  const early = unparsable(patch, limits);
  if (early !== null) throw rejected([early], limits);
  const scratch = join(repo.commonDir, "slipway", "tmp", scratchName());
  await mkdir(scratch, { recursive: true });
  try {
    const git = await repo.vault({ indexFile: join(scratch, "index") });
    await git.run(["read-tree", "--end-of-options", baseTree]);
    await apply(git, patch, limits);
    const tree = (await git.text(["write-tree"])).trim();
    const changes = await describe(git, baseTree, tree);
    const offences = [...entryOffences(changes), ...(await twins(git, baseTree, changes)), ...sizeOffences(changes, limits)];
    if (offences.length > 0) throw rejected(offences, limits);
    return { tree, changes, flags: flagsOf(changes) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Brings a worktree from one tree to the other, wholly or not at all. Refuses when a file is neither as the first tree has it
 * nor, after a kill half-way, as the second does.
 */
export async function applyTree(
  repo: Repository,
  worktree: string,
  fromTree: string,
  toTree: string,
  options: SnapshotOptions = {},
): Promise<readonly RawEntry[]> {
  const git = await repo.vault();
  const { tree: found } = await takeSnapshot(repo, worktree, options);
  const wanted = await rawBetween(git, fromTree, toTree);
  const target = new Map(wanted.map((entry) => [entry.path, entry]));
  const drift = found === fromTree ? [] : await rawBetween(git, fromTree, found);
  const strange = drift
    .filter(({ path, newMode, newOid }) => target.get(path)?.newMode !== newMode || target.get(path)?.newOid !== newOid)
    .map(({ path }) => path);
  const arrived = new Set(drift.map(({ path }) => path));
  const open = wanted.filter(({ path }) => !arrived.has(path));
  const inTheWay = await ignoredInTheWay(repo, worktree, open);
  if (strange.length + inTheWay.length > 0) throw worktreeChanged(worktree, [...strange, ...inTheWay]);
  await moveFiles(repo, worktree, open, options);
  return wanted;
}

/** A snapshot does not see ignored files, and a patch may name one. */
async function ignoredInTheWay(repo: Repository, worktree: string, entries: readonly RawEntry[]): Promise<string[]> {
  const blocked: string[] = [];
  for (const { path, oldMode, newOid } of entries) {
    const found = oldMode === ABSENT ? await statAt(worktree, path) : undefined;
    if (found === undefined || found.isDirectory()) continue;
    if ((await blobIdAt(worktree, path, found, repo.objectFormat)) !== newOid) blocked.push(path);
  }
  return blocked;
}

async function apply(git: Git, patch: Uint8Array, limits: Required<PatchLimits>): Promise<void> {
  const { exitCode, stderr } = await git.run(["apply", "--cached", "-p1", "--whitespace=nowarn", "-"], {
    input: patch,
    allowExit: [1, 128],
  });
  if (exitCode === 0) return;
  const named = await git.run(["apply", "--numstat", "-z", "-p1", "-"], { input: patch, allowExit: [1, 128] });
  const paths = splitZero(named.stdout).map((line) => decodePath(line).split("\t").slice(2).join("\t"));
  const offences = paths.flatMap((path): Offence[] => {
    const rule = nameOffence(path);
    return rule === null ? [] : [{ path, rule }];
  });
  const [, beyond] = /affected file '(.+)' is beyond a symbolic link/.exec(stderr) ?? [];
  const [, invalid] = /invalid path '(.+)'/.exec(stderr) ?? [];
  if (offences.length === 0 && (beyond ?? invalid) !== undefined)
    offences.push({ path: beyond ?? invalid ?? "", rule: "path_out_of_bounds" });
  if (offences.length > 0) throw rejected(offences, limits);
  throw new SlipwayError("patch_apply_failed", `The patch does not apply: ${stderr.trim().slice(0, 2_000)}`, {
    stderr: stderr.slice(0, 4_096),
    suggested_next_actions: ["Make the patch against the current content of the files, with full context lines."],
  });
}

async function describe(git: Git, baseTree: string, tree: string): Promise<PatchChange[]> {
  const { stdout } = await git.run([
    "diff-tree",
    "-r",
    "--raw",
    "--numstat",
    "-z",
    "--no-renames",
    "--no-abbrev",
    "--ignore-submodules=none",
    "--end-of-options",
    baseTree,
    tree,
  ]);
  const fields = splitZero(stdout);
  const firstNumber = fields.findIndex((field, position) => position % 2 === 0 && field[0] !== 58);
  const entries = parseRaw(firstNumber < 0 ? fields : fields.slice(0, firstNumber));
  const binaries = new Set(
    (firstNumber < 0 ? [] : fields.slice(firstNumber))
      .map(decodePath)
      .flatMap((line) => (line.startsWith("-\t-\t") ? [line.slice(4)] : [])),
  );
  const sizes = await sizesOf(
    git,
    entries.filter(({ newMode }) => newMode !== ABSENT && newMode !== GITLINK).map(({ newOid }) => newOid),
  );
  return entries.map((entry) => ({ ...entry, binary: binaries.has(entry.path), bytes: sizes.get(entry.newOid) ?? 0 }));
}

async function sizesOf(git: Git, oids: readonly string[]): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map();
  const listing = await git.text(["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
    input: oids.map((oid) => `${oid}\n`).join(""),
  });
  return new Map(listing.split("\n").map((line) => [line.slice(0, line.indexOf(" ")), Number(line.slice(line.indexOf(" ") + 1))]));
}

async function twins(git: Git, baseTree: string, changes: readonly RawEntry[]): Promise<Offence[]> {
  if (changes.every(({ oldMode }) => oldMode !== ABSENT)) return [];
  const { stdout } = await git.run(["ls-tree", "-r", "-z", "--name-only", "--end-of-options", baseTree]);
  return twinOffences(changes, splitZero(stdout).map(decodePath));
}

function sizeOffences(changes: readonly PatchChange[], limits: Required<PatchLimits>): Offence[] {
  if (changes.length > limits.maxFiles) return [{ path: "", rule: "too_many_files" }];
  return changes.flatMap(({ path, bytes, binary }): Offence[] =>
    bytes > limits.maxFileBytes
      ? [{ path, rule: "file_too_large" }]
      : binary && bytes > limits.maxBinaryBytes
        ? [{ path, rule: "binary_too_large" }]
        : [],
  );
}

function rejected(offences: readonly Offence[], limits: Required<PatchLimits>): SlipwayError {
  const shown = offences.slice(0, 20).map(({ path, rule }) => (path === "" ? rule : `${visible(path)} (${rule})`));
  return new SlipwayError("patch_rejected", `The patch is refused: ${shown.join(", ")}.`, {
    offences,
    limits,
    suggested_next_actions: ["Leave out what is named, and send the rest as a patch of ordinary text files."],
  });
}
