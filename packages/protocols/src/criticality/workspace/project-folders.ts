import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { makeTemporaryFolder, removeAbandonedFolders } from "@slipway/kernel/host/files/temporary-folder";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { SourceTree } from "@slipway/languages/adapter";

/** Temporary folders that hold a tree on disk while tools run on it. A folder is used again, and only what differs is written. */
export interface ProjectFolders {
  /** Runs `work` in a folder that holds exactly this tree. */
  withTree<T>(tree: SourceTree, work: (folder: string) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Folder {
  readonly path: string;
  readonly texts: Map<string, string>;
}

/** Folders that a killed process has left are removed first. */
export function openProjectFolders(): ProjectFolders {
  const abandoned = removeAbandonedFolders();
  const idle: Folder[] = [];
  const all: Folder[] = [];

  async function take(): Promise<Folder> {
    const free = idle.pop();
    if (free !== undefined) return free;
    const folder = { path: await makeTemporaryFolder("project"), texts: new Map<string, string>() };
    all.push(folder);
    return folder;
  }

  return {
    async withTree(tree, work) {
      const folder = await take();
      await fill(folder, tree);
      const result = await work(folder.path);
      // After an error its contents are uncertain, so it is not used again.
      idle.push(folder);
      return result;
    },
    async close() {
      idle.length = 0;
      await Promise.all([abandoned, ...all.splice(0).map(({ path }) => removeTree(path))]);
    },
  };
}

async function fill({ path, texts }: Folder, tree: SourceTree): Promise<void> {
  const gone = [...texts.keys()].filter((name) => !(name in tree));
  const changed = Object.entries(tree).filter(([name, text]) => texts.get(name) !== text);
  await Promise.all(
    [...new Set(changed.map(([name]) => dirname(join(path, assertCanonicalPath(name)))))].map((one) => mkdir(one, { recursive: true })),
  );
  await Promise.all(gone.map((name) => rm(join(path, assertCanonicalPath(name)), { force: true })));
  await Promise.all(changed.map(([name, text]) => writeFile(join(path, name), text)));
  for (const name of gone) texts.delete(name);
  for (const [name, text] of changed) texts.set(name, text);
}
