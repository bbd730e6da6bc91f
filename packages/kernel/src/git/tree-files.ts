import { decodePath, encodePath } from "./names.ts";
import type { Repository } from "./repository.ts";
import { readObjects } from "./residents.ts";

const REGULAR: ReadonlySet<string> = new Set(["100644", "100755"]);

/** Which of the paths are regular files in the commit. Asked of a process that is there already: one answer for all folders. */
export async function regularFilesAt(repo: Repository, commit: string, paths: readonly string[]): Promise<string[]> {
  const folders = [...new Set(paths.map(folderOf))].filter((folder) => !folder.includes("\n"));
  const trees = await readObjects(
    repo,
    folders.map((folder) => `${commit}:${encodePath(folder).toString("latin1")}`),
    "latin1",
  );
  const regular = new Set(
    folders.flatMap((folder, index) => {
      const tree = trees[index];
      return tree?.type === "tree" ? regularIn(tree.bytes, tree.oid.length / 2).map((name) => `${folder}${folder && "/"}${name}`) : [];
    }),
  );
  return [...new Set(paths)].filter((path) => regular.has(path));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** A tree object is a row of `<mode> <name>NUL<id>`. */
function regularIn(tree: Buffer, idBytes: number): string[] {
  const names: string[] = [];
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(32, at);
    const end = tree.indexOf(0, space);
    if (REGULAR.has(tree.toString("latin1", at, space))) names.push(decodePath(tree.subarray(space + 1, end)));
    at = end + 1 + idBytes;
  }
  return names;
}
