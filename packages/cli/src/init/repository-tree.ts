import { lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RepositoryView } from "@slipway/kernel/repository-view";
import type { InitTree } from "./target.ts";

/** Tracked and untracked files, without ignored ones and without uncommitted deletions. */
export async function repositoryTree({ root, files: listed }: Pick<RepositoryView, "root" | "files">): Promise<InitTree> {
  const files = (await listed()).filter((path) => isFile(join(root, path))).toSorted();
  const known = new Set(files);
  return {
    files,
    exists: (path) => known.has(path),
    read: (path) => readFileSync(join(root, path), "utf8"),
    isExecutable: (path) => (statSync(join(root, path)).mode & 0o111) !== 0,
  };
}

/** A link may lead outside; its target is not part of a fresh checkout. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
