import { decodePath, splitZero } from "./names.ts";
import type { Repository } from "./repository.ts";

export interface ChangedPath {
  readonly path: string;
  readonly change_type: "added" | "modified" | "deleted" | "renamed";
  /** Only of a renamed file. */
  readonly old_path?: string;
}

const TYPES: Readonly<Record<string, ChangedPath["change_type"]>> = { A: "added", D: "deleted", M: "modified", T: "modified" };

/** The files that differ between two commits or trees, given by id, sorted by path. A deleted and an added file that are alike are one renamed file. */
export async function changeWithRenames(repo: Repository, from: string, to: string): Promise<ChangedPath[]> {
  const args = ["diff-tree", "-r", "-z", "--name-status", "--find-renames=50%", "-l1000", "--ignore-submodules=none", "--end-of-options"];
  const { stdout } = await (await repo.vault()).run([...args, from, to]);
  const fields = splitZero(stdout).map(decodePath);
  const changed: ChangedPath[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const [status = "", path = "", renamed = ""] = fields.slice(at, at + 3);
    const isRename = status.startsWith("R");
    if (isRename) changed.push({ path: renamed, change_type: "renamed", old_path: path });
    else changed.push({ path, change_type: TYPES[status] ?? "modified" });
    at += isRename ? 3 : 2;
  }
  return changed.toSorted((left, right) => (left.path < right.path ? -1 : 1));
}
