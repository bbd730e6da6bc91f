import { findGit } from "./host/git/executable.ts";
import type { Environment } from "./host/places.ts";

/** The git that Slipway uses here; throws `git_missing` where there is none, or only one that is too old. */
export async function examineGit(env: Environment): Promise<{ readonly file: string; readonly version: string }> {
  const { file, version } = await findGit(env);
  return { file, version };
}
