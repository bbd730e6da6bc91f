import { sha256 } from "@slipway/durable/canonical";
import { lineDiff, type LineDiff } from "./line-diff.ts";
import { isObjectId } from "./names.ts";
import { rawBetween, type RawEntry } from "./raw.ts";
import { remembered } from "./fast-path/answer-cache.ts";
import { treeOf } from "./fast-path/git-queries.ts";
import type { Repository } from "./repository.ts";

export interface CandidateChange {
  /** Over the sorted entries: equal on a moved base exactly when no touched file moved. */
  readonly digest: string;
  readonly entries: readonly RawEntry[];
}

const changes = remembered<CandidateChange>(({ entries }) => entries.length <= 1_000);

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

/** Lone surrogates, which stand for bytes that are not UTF-8, would all hash alike. */
function escaped(path: string): string {
  return JSON.stringify(path);
}

export async function linesBetween(repo: Repository, fromTreeish: string, toTreeish: string): Promise<LineDiff> {
  const [from, to] = [await objectOf(repo, fromTreeish), await objectOf(repo, toTreeish)];
  return lineDiff(repo, await treeOf(repo, from), await treeOf(repo, to));
}

/** What a caller may ask of a diff. The words are git's; nothing else reaches it. */
export const DIFF_FORMATS = ["--patch", "--stat", "--numstat", "--shortstat", "--summary", "--name-only", "--name-status"] as const;
export type DiffFormat = (typeof DIFF_FORMATS)[number];

export interface DiffOptions {
  readonly formats?: readonly DiffFormat[];
  readonly stat?: boolean;
  readonly nameOnly?: boolean;
  readonly binary?: boolean;
}

const texts = remembered<string>((text) => text.length <= 100_000);

/** For people, and, with `binary`, for `git apply`. The options are a closed list: no argument of a caller reaches git. */
export async function diffText(repo: Repository, from: string, to: string, options: DiffOptions = {}): Promise<string> {
  const asked = await diffArguments(repo, from, to, options);
  return texts(repo, asked, async () => (await repo.vault()).text(asked));
}

/** Files need not be UTF-8, and a patch has to be exactly what git wrote. */
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

/** The vault has the repository's objects, not its refs. */
async function objectOf(repo: Repository, treeish: string): Promise<string> {
  return isObjectId(treeish) ? treeish : (await repo.git.text(["rev-parse", "--verify", "--end-of-options", `${treeish}^{tree}`])).trim();
}

/** What `git status --porcelain` would say of a worktree that differs by these entries from its branch. */
export function porcelain(entries: readonly RawEntry[]): string {
  return entries
    .map(({ status, path }) => `${status === "A" ? "??" : ` ${status}`} ${/["\\\s]/.test(path) ? JSON.stringify(path) : path}\n`)
    .join("");
}
