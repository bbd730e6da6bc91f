import { decodePath, encodePath } from "./names.ts";
import type { Repository } from "./repository.ts";
import { readBlob, readObjects } from "./fast-path/git-queries.ts";

const REGULAR: ReadonlySet<string> = new Set(["100644", "100755"]);

/** The paths that are regular files in the commit. Uses the long-lived git process with one query for all folders. */
export async function regularFilesAt(repo: Repository, commit: string, paths: readonly string[]): Promise<string[]> {
  const regular = await regularBeside(repo, commit, paths);
  return [...new Set(paths)].filter((path) => regular.has(path));
}

/** The content of a regular file of the commit; null if there is none. */
export async function readRegularFile(repo: Repository, commit: string, path: string): Promise<Buffer | null> {
  const oid = (await regularBeside(repo, commit, [path])).get(path);
  return oid === undefined ? null : readBlob(repo, oid);
}

/** The contents of the regular files directly in a folder of the commit whose path `wanted` accepts, by path. */
export async function readFilesIn(
  repo: Repository,
  commit: string,
  folder: string,
  wanted: (path: string) => boolean,
): Promise<Map<string, Buffer>> {
  const regular = await regularBeside(repo, commit, [`${folder}/`]);
  const found = [...regular].filter(([path]) => wanted(path));
  return new Map(await Promise.all(found.map(async ([path, oid]) => [path, await readBlob(repo, oid)] as const)));
}

/** The ids of all regular files in the paths' folders, by path. */
async function regularBeside(repo: Repository, commit: string, paths: readonly string[]): Promise<Map<string, string>> {
  const folders = [...new Set(paths.map(folderOf))].filter(isInTree);
  const trees = await readObjects(
    repo,
    folders.map((folder) => `${commit}:${encodePath(folder).toString("latin1")}`),
    "latin1",
  );
  return new Map(
    folders.flatMap((folder, index) => {
      const tree = trees[index];
      if (tree?.type !== "tree") return [];
      return regularIn(tree.bytes, tree.oid.length / 2).map(([name, oid]) => [`${folder}${folder && "/"}${name}`, oid] as const);
    }),
  );
}

/** git resolves a path that begins with "./" relative to its working folder. */
function isInTree(folder: string): boolean {
  return folder === "" || (!folder.includes("\n") && !folder.split("/").some((segment) => ["", ".", ".."].includes(segment)));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Parses a tree object: a sequence of `<mode> <name>NUL<id>`. */
function regularIn(tree: Buffer, idBytes: number): (readonly [string, string])[] {
  const files: (readonly [string, string])[] = [];
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(32, at);
    const end = tree.indexOf(0, space);
    const next = end + 1 + idBytes;
    if (REGULAR.has(tree.toString("latin1", at, space)))
      files.push([decodePath(tree.subarray(space + 1, end)), tree.toString("hex", end + 1, next)]);
    at = next;
  }
  return files;
}
