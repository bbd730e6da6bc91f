/**
 * Chooses at most so many paths. Folders share the number evenly, level by level, so that a folder with a million files takes nothing from
 * the few files beside it.
 */
export function fairShare(paths: readonly string[], most: number, from = 0): string[] {
  if (paths.length <= most) return [...paths];
  const groups = [...Map.groupBy(paths, (path) => partAfter(path, from))];
  const chosen: string[] = [];
  let left = groups.length;
  for (const [folder, inside] of groups.toSorted(([, one], [, other]) => one.length - other.length)) {
    const share = Math.ceil((most - chosen.length) / left);
    // The files of one folder are a group, too.
    const kept = folder === null ? inside.slice(0, share) : fairShare(inside, share, from + folder.length + 1);
    for (const path of kept) chosen.push(path);
    left -= 1;
  }
  return chosen;
}

/** The name of the next folder; null if the path is a file there. */
function partAfter(path: string, from: number): string | null {
  const end = path.indexOf("/", from);
  return end < 0 ? null : path.slice(from, end);
}
