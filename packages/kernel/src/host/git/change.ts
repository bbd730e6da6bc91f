import { sha256 } from "@slipway/durable/canonical";
import { lineDiff, type LineDiff } from "./line-diff.ts";
import { isObjectId } from "./names.ts";
import { rawBetween, type RawEntry } from "./raw.ts";
import { cachedAnswers } from "./fast-path/answer-cache.ts";
import { treeOf } from "./fast-path/git-queries.ts";
import type { Repository } from "./repository.ts";

export interface CandidateChange {
  /** Digest of the sorted entries; the same on a moved base if and only if no touched file changed there. */
  readonly digest: string;
  readonly entries: readonly RawEntry[];
}

const changes = cachedAnswers<CandidateChange>(({ entries }) => entries.length <= 1_000);

export async function changeBetween(repo: Repository, fromTreeish: string, toTreeish: string): Promise<CandidateChange> {
  const [from, to] = [await objectOf(repo, fromTreeish), await objectOf(repo, toTreeish)];
  return changes(repo, [from, to], async () => {
    const entries = await rawBetween(await repo.vault(), from, to);
    return { digest: digestOfEntries(entries), entries };
  });
}

export function digestOfEntries(entries: readonly RawEntry[]): string {
  const lines = entries.map(({ path, oldMode, newMode, oldOid, newOid }) => `${oldMode} ${newMode} ${oldOid} ${newOid} ${escaped(path)}\n`);
  return sha256(lines.toSorted().join(""));
}

/** Lone surrogates stand for bytes that are not UTF-8; unescaped, all would hash alike. */
function escaped(path: string): string {
  return JSON.stringify(path);
}

export async function linesBetween(repo: Repository, fromTreeish: string, toTreeish: string): Promise<LineDiff> {
  const [from, to] = [await objectOf(repo, fromTreeish), await objectOf(repo, toTreeish)];
  return lineDiff(repo, await treeOf(repo, from), await treeOf(repo, to));
}

/** The allowed diff options. No other argument reaches git. */
export const DIFF_FORMATS = ["--patch", "--stat", "--numstat", "--shortstat", "--summary", "--name-only", "--name-status"] as const;
export type DiffFormat = (typeof DIFF_FORMATS)[number];

export interface DiffOptions {
  readonly formats?: readonly DiffFormat[];
  readonly stat?: boolean;
  readonly nameOnly?: boolean;
  readonly binary?: boolean;
}

const texts = cachedAnswers<string>((text) => text.length <= 100_000);

/** A diff for people or, with `binary`, for `git apply`. No argument of a caller reaches git. */
export async function diffText(repo: Repository, from: string, to: string, options: DiffOptions = {}): Promise<string> {
  const asked = await diffArguments(repo, from, to, options);
  return texts(repo, asked, async () => (await repo.vault()).text(asked));
}

/** Bytes, because files need not be UTF-8 and a patch must be exactly git's output. */
export async function diffBytes(repo: Repository, from: string, to: string, options: DiffOptions = {}): Promise<Buffer> {
  return (await (await repo.vault()).run(await diffArguments(repo, from, to, options))).stdout;
}

async function diffArguments(repo: Repository, from: string, to: string, options: DiffOptions): Promise<string[]> {
  const format =
    options.formats !== undefined && options.formats.length > 0
      ? options.formats.map((name) => (name === "--stat" ? "--stat=120" : name))
      : options.nameOnly === true
        ? ["--name-only"]
        : options.stat === true
          ? ["--stat=120"]
          : ["-p", "--full-index", ...(options.binary === true ? ["--binary"] : [])];
  const [old, now] = await Promise.all([objectOf(repo, from), objectOf(repo, to)]);
  return ["diff-tree", "-r", "--no-renames", "--no-color", "--ignore-submodules=none", ...format, "--end-of-options", old, now];
}

/** Resolves a name to an object id, because the vault has the repository's objects but not its refs. */
async function objectOf(repo: Repository, treeish: string): Promise<string> {
  return isObjectId(treeish) ? treeish : (await repo.git.text(["rev-parse", "--verify", "--end-of-options", `${treeish}^{tree}`])).trim();
}

/** The output of `git status --porcelain` for a worktree that differs from its branch by these entries. */
export function porcelain(entries: readonly RawEntry[]): string {
  return entries
    .map(({ status, path }) => `${status === "A" ? "??" : ` ${status}`} ${/["\\\s]/.test(path) ? JSON.stringify(path) : path}\n`)
    .join("");
}
