import { findGit } from "./executable.ts";
import { createGit } from "./runner.ts";

/** Whether git's index contains the path or anything below it. */
export async function isTracked(root: string, path: string): Promise<boolean> {
  const git = createGit({ executable: await findGit(), cwd: root });
  // Exit code 128: not in a repository.
  return (await git.text(["ls-files", "-z", "--cached", "--", path], { allowExit: [128] })) !== "";
}
