import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { removeTreeNow } from "../files/remove-tree.ts";
import { newNameProblem } from "../../paths/new-names.ts";
import { visible } from "../../paths/paths.ts";
import { isFileMode, statAt } from "./files.ts";
import { lineDiff, type LineDiff } from "./line-diff.ts";
import { pathsOf } from "./tree-listing.ts";
import { patchedFiles, undeliveredBinaries } from "./patch-binary.ts";
import {
  DEFAULT_PATCH_LIMITS,
  entryOffences,
  flagsOf,
  nameOffence,
  sourceOffences,
  twinOffences,
  type Offence,
  type PatchFlags,
  type PatchLimits,
} from "./patch-rules.ts";
import { hasBinary, unparsable } from "./patch-size.ts";
import { sourcesOf } from "./patch-sources.ts";
import { scratchName } from "./worktree-record.ts";
import { APPLY, applyQuickly, type QuickApplied } from "./fast-path/quick-apply.ts";
import { ABSENT, type RawEntry } from "./raw.ts";
import type { Repository } from "./repository.ts";
import type { Git } from "./runner.ts";

export interface PatchChange extends RawEntry {
  readonly binary: boolean;
  /** Size of the new content, or an upper bound for a known worktree; 0 for a deletion. */
  readonly bytes: number;
}

export interface JudgedPatch {
  readonly tree: string;
  readonly changes: readonly PatchChange[];
  /** Files that the patch copies or renames without changing them themselves. */
  readonly copied: readonly string[];
  readonly flags: PatchFlags;
  /** The difference between `against` and the result. */
  readonly lines: LineDiff | null;
  /** An index with the tree. */
  readonly index: Uint8Array;
  readonly written: readonly string[] | undefined;
}

/** A worktree that was just seen to have the base tree. Its index saves git from reading the tree again. */
export interface KnownWorktree {
  readonly worktree: string;
  readonly indexFile: string;
  readonly paths: readonly string[];
}

export interface PatchToJudge {
  readonly baseTree: string;
  readonly patch: Uint8Array;
  readonly limits?: PatchLimits;
  readonly known?: KnownWorktree | undefined;
  /** A tree to compare the result with. */
  readonly against?: string;
}

/**
 * Determines what a patch really does: git applies it to a separate index, which is compared with the base. The worktree is not
 * touched. Throws patch_apply_failed, or patch_rejected or path_out_of_bounds with every offence.
 */
export async function judgePatch(repo: Repository, asked: PatchToJudge): Promise<JudgedPatch> {
  const { baseTree, patch, known, against } = asked;
  const limits = { ...DEFAULT_PATCH_LIMITS, ...asked.limits };
  const early = unparsable(patch, limits);
  if (early !== null) throw rejected([early], limits);
  const { tree, own, index, written } =
    (known && (await applyQuickly(repo, baseTree, known.indexFile, patch))) ?? (await applyToBase(repo, baseTree, patch, limits));
  const git = await repo.vault();
  const changes = await measured(git, own, asked);
  const sources = sourcesOf(patch);
  const { objectFormat } = repo;
  const offences = [
    ...entryOffences(changes),
    ...sourceOffences(sources),
    ...(await twins(git, asked, changes)),
    ...sizeOffences(changes, limits),
    ...(await undeliveredBinaries(git, { patch, entries: changes, baseTree, sources, maxBytes: limits.maxBinaryBytes, objectFormat })),
  ];
  if (offences.length > 0) throw rejected(offences, limits);
  const lines = against === undefined ? null : against === baseTree ? own : await lineDiff(repo, against, tree);
  const copied = sources.filter((source) => !changes.some(({ path }) => path === source));
  return { tree, changes, copied, flags: flagsOf(changes), lines, index, written };
}

/** Applies the patch to the base in a separate index. */
async function applyToBase(repo: Repository, baseTree: string, patch: Uint8Array, limits: Required<PatchLimits>): Promise<QuickApplied> {
  const scratch = join(repo.commonDir, "slipway", "tmp", scratchName());
  const indexFile = join(scratch, "index");
  mkdirSync(scratch, { recursive: true });
  try {
    const git = await repo.vault({ indexFile });
    await git.run(["read-tree", "--end-of-options", baseTree]);
    await apply(git, patch, limits);
    const tree = (await git.text(["write-tree"])).trim();
    return { tree, own: await lineDiff(repo, baseTree, tree), index: readFileSync(indexFile) };
  } finally {
    removeTreeNow(scratch);
  }
}

async function apply(git: Git, patch: Uint8Array, limits: Required<PatchLimits>): Promise<void> {
  const { exitCode, stderr } = await git.run(APPLY, { input: patch, allowExit: [1, 128] });
  if (exitCode === 0) return;
  const offences = (await patchedFiles(git, patch)).flatMap(({ path }): Offence[] => {
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

/** A text patch adds at most its own size, so with the old files at hand git need not be asked. */
async function measured(git: Git, { entries, binary }: LineDiff, { known, patch }: PatchToJudge): Promise<PatchChange[]> {
  const files = entries.filter(({ newMode }) => isFileMode(newMode));
  if (known === undefined || hasBinary(patch)) {
    const sizes = await sizesOf(
      git,
      files.map(({ newOid }) => newOid),
    );
    return entries.map((entry) => ({ ...entry, binary: binary.has(entry.path), bytes: sizes.get(entry.newOid) ?? 0 }));
  }
  const bounds = new Map<string, number>();
  for (const { path } of files) bounds.set(path, ((await statAt(known.worktree, path))?.size ?? 0) + patch.byteLength);
  return entries.map((entry) => ({ ...entry, binary: binary.has(entry.path), bytes: bounds.get(entry.path) ?? 0 }));
}

async function sizesOf(git: Git, oids: readonly string[]): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map();
  const listing = await git.text(["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
    input: oids.map((oid) => `${oid}\n`).join(""),
  });
  return new Map(listing.split("\n").map((line) => [line.slice(0, line.indexOf(" ")), Number(line.slice(line.indexOf(" ") + 1))]));
}

async function twins(git: Git, { known, baseTree }: PatchToJudge, changes: readonly RawEntry[]): Promise<Offence[]> {
  if (changes.every(({ oldMode }) => oldMode !== ABSENT)) return [];
  return twinOffences(changes, known?.paths ?? (await pathsOf(git, baseTree)));
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
  const shown = offences.slice(0, 20).map(inWords);
  const outside = offences.some(({ rule }) => rule === "path_out_of_bounds");
  return new SlipwayError(outside ? "path_out_of_bounds" : "patch_rejected", `The patch is refused: ${shown.join(", ")}.`, {
    offences,
    limits,
    suggested_next_actions: ["Remove these parts, and send the rest as a patch of ordinary text files."],
  });
}

function inWords({ path, rule }: Offence): string {
  if (path === "") return rule;
  return rule === "unportable_name" ? `${visible(path)} ${newNameProblem(path) ?? ""} (${rule})` : `${visible(path)} (${rule})`;
}
