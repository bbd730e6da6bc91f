import { removeBeneath } from "../../host/files/remove-tree.ts";
import { changedFiles } from "../../host/git/snapshot.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";

const MiB = 1024 ** 2;
/** Bytes that steps leave in the worktree, and that are anchored when it is reset. */
export const MOST_LEFT_BY_STEP = 64 * MiB;
/** Bytes that are anchored when a feature is deleted. */
export const MOST_KEPT_OF_DELETED = 512 * MiB;
const MOST_NAMED = 10;

/**
 * Removes the largest files that differ from the feature's tree until the rest has at most so many bytes. git would read and store each
 * of them completely, also one that is mostly a hole. Returns their names, as a text for a person; null if nothing was removed.
 */
export async function dropLargest(
  { repository, layout }: FeatureDependencies,
  { id, worktree }: Feature,
  mostBytes: number,
): Promise<string | null> {
  const changed = await changedFiles(repository, worktree, { indexFile: layout.indexFile(id) });
  let bytes = changed.reduce((sum, file) => sum + file.bytes, 0);
  const dropped = changed
    .toSorted((left, right) => right.bytes - left.bytes)
    .filter((file) => {
      const tooMuch = bytes > mostBytes;
      if (tooMuch) bytes -= file.bytes;
      return tooMuch;
    });
  for (const { path } of dropped) removeBeneath(worktree, path);
  if (dropped.length === 0) return null;
  const names = dropped.slice(0, MOST_NAMED).map((file) => `${file.path} (${Math.ceil(file.bytes / MiB)} MiB)`);
  const more = dropped.length > MOST_NAMED ? ` and ${dropped.length - MOST_NAMED} more` : "";
  return `dropped what exceeds ${mostBytes / MiB} MiB: ${names.join(", ")}${more}`;
}
