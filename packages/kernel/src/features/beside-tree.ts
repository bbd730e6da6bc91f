import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nodeFileSystem } from "../files/file-system.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";
import { areaMatcher } from "../plans/areas.ts";
import type { Rooms } from "./rooms.ts";
import { settledPaths } from "./settle.ts";
import type { Feature } from "./store.ts";

/**
 * Git ignores some of what a gate leaves behind, so no snapshot sees it; the next gate would, and could pass because of it on a
 * tree that alone would fail. So whatever a gate adds beside the tree is taken away after it, except in the folders that
 * `execution.caches` names. What was there before (somebody's `.env`) stays. Call it with the worktree settled.
 */
export async function withoutLeftovers<T>(rooms: Rooms, feature: Feature, gate: () => Promise<T>): Promise<T> {
  const note = join(rooms.layout.feature(feature.id), "gate.beside.json");
  // A note that is still there was written before a gate whose process was killed.
  const before = existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as string[]) : await besideTree(rooms, feature);
  // Where only a snapshot can tell what belongs to the tree, nothing is taken away.
  if (before === null) return gate();
  await takeAway(rooms, feature, before);
  await mkdir(dirname(note), { recursive: true });
  await writeFileAtomic(nodeFileSystem, note, Buffer.from(JSON.stringify(before)));
  try {
    return await gate();
  } finally {
    await takeAway(rooms, feature, before);
    await rm(note, { force: true });
  }
}

async function takeAway(rooms: Rooms, feature: Feature, before: readonly string[]): Promise<void> {
  const known = new Set(before);
  const isCache = areaMatcher(rooms.configuration.policy.execution.caches, "repo_prefix");
  const now = (await besideTree(rooms, feature)) ?? [];
  const added = now.filter((path) => !known.has(path) && isCache(path) === null);
  await Promise.all(added.map((path) => rm(join(feature.worktree, path), { recursive: true, force: true })));
}

/** Names in the folders of the tree that the tree does not have. A folder counts as one. */
async function besideTree(rooms: Rooms, feature: Feature): Promise<string[] | null> {
  const { worktree } = feature;
  const paths = await settledPaths(rooms, feature);
  if (paths === null) return null;
  const tracked = new Set(paths);
  const folders = new Set([""]);
  for (const path of paths) for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) folders.add(folder);
  return [...folders].flatMap((folder) =>
    readdirSync(join(worktree, folder))
      .map((name) => (folder === "" ? name : `${folder}/${name}`))
      .filter((path) => path !== ".git" && !tracked.has(path) && !folders.has(path)),
  );
}

function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}
