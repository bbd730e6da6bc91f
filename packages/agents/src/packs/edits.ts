import { diffText } from "@slipway/kernel/host/git/change";
import type { IndexEntry } from "@slipway/kernel/host/git/fast-path/index-file";
import { editTree } from "@slipway/kernel/host/git/fast-path/tree-edit";
import type { Repository } from "@slipway/kernel/host/git/repository";
import type { PackPlan } from "./plan.ts";
import type { PackFile } from "./source.ts";

/** The new entry at each path; null for a removed file. */
export type PackEdits = ReadonlyMap<string, IndexEntry | null>;

/** The unified diff of these edits against the pack's tree, with binary files. `contents` has the new contents by their ids. */
export async function diffOfEdits(
  repo: Repository,
  plan: Pick<PackPlan, "manifest" | "files">,
  edits: PackEdits,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<string> {
  if (edits.size === 0) return "";
  const base = plan.manifest.tree ?? (await treeOfFiles(repo, plan.files));
  for (const content of contents.values()) await writeBlob(repo, content);
  const tree = (await editTree(repo, base, edits))?.tree ?? (await emptyTree(repo));
  return diffText(repo, base, tree, { binary: true });
}

export function modeOf({ executable }: Pick<PackFile, "executable">): string {
  return executable ? "100755" : "100644";
}

/** For a pack that was not made from a tree: a tree of its files. */
async function treeOfFiles(repo: Repository, files: readonly PackFile[]): Promise<string> {
  for (const { content } of files) if (content !== undefined) await writeBlob(repo, content);
  const entries = new Map(files.map((file) => [file.path, { mode: modeOf(file), oid: file.oid }]));
  return (await editTree(repo, null, entries))?.tree ?? emptyTree(repo);
}

async function writeBlob(repo: Repository, content: Uint8Array): Promise<void> {
  await (await repo.vault()).run(["hash-object", "-w", "--no-filters", "--stdin"], { input: content });
}

async function emptyTree(repo: Repository): Promise<string> {
  return (await (await repo.vault()).text(["mktree"], { input: "" })).trim();
}
