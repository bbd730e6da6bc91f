import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathsBeside } from "../git/snapshot.ts";
import { areaMatcher } from "../plans/areas.ts";
import type { Rooms } from "./rooms.ts";
import { settledPaths } from "./settle.ts";
import type { Feature } from "./store.ts";

/**
 * Git ignores some of what a gate leaves behind, so no snapshot sees it; the next gate would, and could pass because of it on a
 * tree that alone would fail. So whatever a gate adds beside the tree is taken away after it, except in the folders that
 * `execution.caches` names. What was there before (somebody's `.env`) stays. Call it with the worktree settled; `gate` leaves it so.
 */
export async function withoutLeftovers<T>(rooms: Rooms, feature: Feature, gate: () => Promise<T>): Promise<T> {
  const note = join(rooms.layout.feature(feature.id), "gate.beside.json");
  // A note that is still there was written before a gate whose process was killed.
  const left = existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as string[]) : null;
  const before = left ?? (await besideTree(rooms, feature));
  // Where only a snapshot can tell what belongs to the tree, nothing is taken away.
  if (before === null) return gate();
  if (left !== null) await takeAway(rooms, feature, before);
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(`${note}.new`, JSON.stringify(before));
  renameSync(`${note}.new`, note);
  let passed = false;
  try {
    const seen = await gate();
    passed = true;
    return seen;
  } finally {
    // A gate that was stopped leaves a worktree that has to be settled first: then the note is for the next one.
    if (passed || (await settledPaths(rooms, feature)) !== null) {
      await takeAway(rooms, feature, before);
      rmSync(note, { force: true });
    }
  }
}

/** From a worktree that is settled. */
async function takeAway(rooms: Rooms, feature: Feature, before: readonly string[]): Promise<void> {
  const known = new Set(before);
  const isCache = areaMatcher(rooms.configuration.policy.execution.caches, "repo_prefix");
  const now = (await besideTree(rooms, feature)) ?? [];
  const added = now.filter((path) => !known.has(path) && isCache(path) === null);
  await Promise.all(added.map((path) => rm(join(feature.worktree, path), { recursive: true, force: true })));
}

function besideTree({ repository, layout }: Rooms, { id, worktree, tree }: Feature): Promise<readonly string[] | null> {
  return pathsBeside(repository, worktree, tree, { indexFile: layout.indexFile(id) });
}
