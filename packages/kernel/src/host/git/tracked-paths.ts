import { findGit } from "./executable.ts";
import { createGit } from "./runner.ts";

/** Whether a path of the working tree is, or holds, anything that git's index knows. */
export async function isTracked(root: string, path: string): Promise<boolean> {
  const git = createGit({ executable: await findGit(), cwd: root });
  // Where there is no repository, nothing is committed.
  return (await git.text(["ls-files", "-z", "--cached", "--", path], { allowExit: [128] })) !== "";
}
