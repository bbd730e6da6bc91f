import { removeBeneath } from "../../host/files/remove-tree.ts";
import { changedFiles, type FileToRead } from "../../host/git/snapshot.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import type { Feature } from "../feature/store.ts";
import { fairShare } from "./fair-share.ts";

const MiB = 1024 ** 2;

/** What is anchored of the files that differ from a feature's tree. */
interface MostKept {
  readonly bytes: number;
  readonly files: number;
}

/** Of what steps leave in the worktree, when it is reset. */
export const MOST_LEFT_BY_STEP: MostKept = { bytes: 64 * MiB, files: 10_000 };
export const MOST_KEPT_OF_DELETED: MostKept = { bytes: 512 * MiB, files: 20_000 };
const MOST_NAMED = 10;

/** Files that are not kept, and a text about them for a person; null if everything is kept. */
interface Beyond {
  readonly paths: ReadonlySet<string>;
  readonly text: string | null;
}

/** git would read and store each of them completely, also one that is mostly a hole. */
export async function findBeyond({ repository, layout }: FeatureDependencies, feature: Feature, most: MostKept): Promise<Beyond> {
  const beyond = beyondOf(await changedFiles(repository, feature.worktree, { indexFile: layout.indexFile(feature.id) }), most);
  return { paths: new Set(beyond.map(({ path }) => path)), text: beyond.length === 0 ? null : textOf(beyond, most) };
}

/** Removes these files. */
export async function dropLargest(dependencies: FeatureDependencies, feature: Feature, most: MostKept): Promise<string | null> {
  const { paths, text } = await findBeyond(dependencies, feature, most);
  for (const path of paths) removeBeneath(feature.worktree, path);
  return text;
}

/** Of too many bytes the largest files, and of too many files those of the folders with most. */
function beyondOf(changed: readonly FileToRead[], most: MostKept): FileToRead[] {
  let bytes = changed.reduce((sum, file) => sum + file.bytes, 0);
  const large = changed
    .toSorted((left, right) => right.bytes - left.bytes)
    .filter((file) => {
      const tooMuch = bytes > most.bytes;
      if (tooMuch) bytes -= file.bytes;
      return tooMuch;
    });
  if (changed.length - large.length <= most.files) return large;
  const dropped = new Set(large);
  const rest = changed.filter((file) => !dropped.has(file)).map(({ path }) => path);
  const kept = new Set(fairShare(rest, most.files));
  return [...large, ...changed.filter((file) => !dropped.has(file) && !kept.has(file.path))];
}

function textOf(beyond: readonly FileToRead[], most: MostKept): string {
  const names = beyond.slice(0, MOST_NAMED).map(({ path, bytes }) => (bytes < MiB ? path : `${path} (${Math.ceil(bytes / MiB)} MiB)`));
  const more = beyond.length > MOST_NAMED ? ` and ${beyond.length - MOST_NAMED} more` : "";
  return `dropped what exceeds ${most.bytes / MiB} MiB or ${most.files} files: ${names.join(", ")}${more}`;
}
