import { decodePath, splitZero } from "./names.ts";
import type { Git } from "./runner.ts";

/** What fits into the arguments of one process, with room to spare. */
const MAX_ARGUMENT_BYTES = 100_000;
const REGULAR = /^100(?:644|755) blob /;

/** Which of the paths are regular files in the commit: one process for any plan of ordinary size, none for no paths. */
export async function regularFilesAt(git: Git, commit: string, paths: readonly string[]): Promise<string[]> {
  const asked = new Set(paths);
  const found: string[] = [];
  for (const some of portions(asked)) {
    const { stdout } = await git.run(["ls-tree", "-z", "--full-tree", "--end-of-options", commit, ...some]);
    for (const line of splitZero(stdout)) {
      const tab = line.indexOf(9);
      const path = decodePath(line.subarray(tab + 1));
      // For a folder and a path in it git lists the whole folder.
      if (asked.has(path) && REGULAR.test(line.toString("latin1", 0, tab))) found.push(path);
    }
  }
  return found;
}

function portions(paths: ReadonlySet<string>): string[][] {
  const all: string[][] = [];
  let left = 0;
  for (const path of paths) {
    left -= Buffer.byteLength(path) + 1;
    if (left < 0) {
      all.push([]);
      left = MAX_ARGUMENT_BYTES - Buffer.byteLength(path) - 1;
    }
    all.at(-1)?.push(path);
  }
  return all;
}
