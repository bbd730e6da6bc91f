import { lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "@slipway/kernel/host/git/repository";
import type { FileTree } from "./place.ts";

/** What git tracks and what it would track, without what was deleted but not yet committed. */
export async function repositoryTree({ git, root }: Repository): Promise<FileTree> {
  const listed = await git.text(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  const files = [...new Set(listed.split("\0"))].filter((path) => path !== "" && isFile(join(root, path))).toSorted();
  const known = new Set(files);
  return {
    files,
    exists: (path) => known.has(path),
    read: (path) => readFileSync(join(root, path), "utf8"),
    isExecutable: (path) => (statSync(join(root, path)).mode & 0o111) !== 0,
  };
}

/** A link could lead anywhere; what it leads to is not what a fresh checkout has. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
