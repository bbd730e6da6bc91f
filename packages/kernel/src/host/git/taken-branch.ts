import type { Repository } from "./repository.ts";

/** Whether a branch of that name is in use: it is the base, is checked out, or points to another commit than the base. */
export async function isBranchTaken({ git }: Repository, name: string, base: string): Promise<boolean> {
  const read = async (args: readonly string[]) => (await git.text(args, { allowExit: [1] })).trim();
  const commitOf = (ref: string) => read(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  if (name === base || (await read(["symbolic-ref", "--quiet", "HEAD"])) === `refs/heads/${name}`) return true;
  const found = await commitOf(`refs/heads/${name}`);
  return found !== "" && found !== (await commitOf(`refs/heads/${base}`));
}
