import { join } from "node:path";
import { findGit } from "./host/git/executable.ts";
import { createGit } from "./host/git/runner.ts";
import type { Environment } from "./host/places.ts";

/** One commit by a named author at a given moment: the same bytes give the same hash everywhere. */
export interface DatedCommit {
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  /** As git takes a date. */
  readonly at: string;
}

/** A new repository with the branch main, of all files in the folder. */
export async function newRepository(folder: string, env: Environment, commit: DatedCommit): Promise<void> {
  await createGit({ executable: await findGit(env), cwd: folder }).run(["init", "--quiet", "--initial-branch=main"]);
  await commitAllFiles(folder, env, commit);
}

/** Everything in the checkout that git does not ignore, on the branch that is checked out. */
export async function commitAllFiles(folder: string, env: Environment, { message, author, at }: DatedCommit): Promise<void> {
  const git = createGit({
    executable: await findGit(env),
    cwd: folder,
    gitDir: join(folder, ".git"),
    workTree: folder,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: at,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: at,
    },
  });
  await git.run(["add", "--all"]);
  await git.run(["commit", "--quiet", `--message=${message}`]);
}
