import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { callAs, lettersOn } from "./letters.ts";
import type { ScratchKernel } from "./scratch-kernel.ts";

/** Everything that a feature could leave behind: refs, git's files about worktrees, and files below the repository's root. */
export function footprint({ root, git }: ScratchKernel): { refs: string[]; files: string[] } {
  const refs = git("for-each-ref", "--format=%(refname) %(objectname)").split("\n").filter(Boolean);
  const below = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map((entry) =>
      relative(root, join(entry.parentPath, entry.name)),
    );
  // The database grows with its journal, and git's objects with every write.
  const files = [...below(""), ...below(".git")].filter((path) => !/^\.git\/objects|^\.git\/slipway\/(?:slipway\.db|objects)/.test(path));
  return { refs: refs.toSorted(), files: [...new Set(files)].toSorted() };
}

/** Creates and deletes a feature this many times. The first time also creates permanent files, such as the exclude file. */
export async function leftoversOfCycles(
  scratch: ScratchKernel,
  cycles: number,
  progress: (done: number) => void = () => undefined,
): Promise<string[]> {
  const { features } = scratch.kernel;
  const { init } = lettersOn(scratch);
  const cycle = async (id: string) => {
    await init(id);
    await features.delete(callAs(), { feature_id: id });
  };
  await cycle("letters");
  const before = footprint(scratch);
  for (let done = 1; done <= cycles; done++) {
    await cycle(done % 2 === 0 ? "letters" : `letters_${done}`);
    progress(done);
  }
  const after = footprint(scratch);
  return [...difference(before.refs, after.refs), ...difference(before.files, after.files)];
}

function difference(before: readonly string[], after: readonly string[]): string[] {
  return [
    ...after.filter((entry) => !before.includes(entry)).map((entry) => `+ ${entry}`),
    ...before.filter((entry) => !after.includes(entry)).map((entry) => `- ${entry}`),
  ];
}
