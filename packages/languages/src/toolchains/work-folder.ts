import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { copyTree } from "@slipway/kernel/host/files/copy-tree";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { makeTemporaryFolder } from "@slipway/kernel/host/files/temporary-folder";
import { assertCanonicalPath } from "@slipway/kernel/paths/paths";
import type { SourceTree } from "../adapter.ts";

/** Made by tools, and large. */
const NOT_COPIED = new Set([".git", ".slipway", "node_modules", "target", "__pycache__", ".venv", "venv", ".mypy_cache", ".pytest_cache"]);
const MOST = { bytes: 512 * 1024 ** 2, entries: 100_000 };

/** A temporary folder with a copy of a project, or with the files of a tree. Compilers and tests write here, never to the project. */
export async function inCopy<T>(source: string | SourceTree, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder("language");
  try {
    if (typeof source === "string") copyProject(source, folder);
    else await putFiles(folder, source);
    return await work(folder);
  } finally {
    await removeTree(folder);
  }
}

function copyProject(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (NOT_COPIED.has(name)) continue;
    copyTree(from, to, name, MOST, (path) => NOT_COPIED.has(path.split("/").at(-1) ?? ""));
  }
}

export async function putFiles(folder: string, files: SourceTree): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, assertCanonicalPath(path));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
  }
}

/** Paths of the files of a folder, sorted. Follows no link. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}
