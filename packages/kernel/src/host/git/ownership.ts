import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import type { Environment } from "../places.ts";
import type { GitExecutable } from "./executable.ts";
import { createGit } from "./runner.ts";

interface Owned {
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly executable: GitExecutable;
}

/**
 * git's rule for what it calls dubious ownership: whoever owns a folder can change it at any time, so a repository of another user is
 * used only if safe.directory in the user's or the machine's own git configuration names it.
 */
export async function assertOwnRepository(repository: Owned, env: Environment): Promise<void> {
  const { root, gitDir, commonDir } = repository;
  const foreign = [root, gitDir, commonDir].find((path) => !isOwn(statSync(path).uid, env));
  if (foreign === undefined || (await safeFolders(repository, env)).some((safe) => covers(safe, root))) return;
  throw new SlipwayError(
    "repository_unsuitable",
    `${foreign} belongs to user ${statSync(foreign).uid}, who can change it at any time, and Slipway runs as user ${process.geteuid?.()}.`,
    {
      file: foreign,
      suggested_next_actions: [
        `If you trust that user: \`git config --global --add safe.directory ${root}\`, as for git itself.`,
        "Otherwise run Slipway as its owner, or in a clone of your own.",
      ],
    },
  );
}

/** As git: under sudo also the user who called it. */
function isOwn(uid: number, env: Environment): boolean {
  const user = process.geteuid?.();
  return user === undefined || uid === user || (user === 0 && String(uid) === env["SUDO_UID"]);
}

/** An empty value discards the ones before it. Never the repository's own configuration. */
async function safeFolders({ executable }: Owned, env: Environment): Promise<string[]> {
  const home = env["HOME"] ?? homedir();
  const files = ["/etc/gitconfig", join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git", "config"), join(home, ".gitconfig")];
  const git = createGit({ executable, cwd: "/" });
  const values: string[] = [];
  for (const file of files) {
    // 1: the file or the key is missing.
    const { stdout } = await git.run(["config", "--file", file, "--includes", "-z", "--get-all", "safe.directory"], { allowExit: [1] });
    values.push(...stdout.toString("utf8").split("\0").slice(0, -1));
  }
  return values.slice(values.lastIndexOf("") + 1);
}

function covers(safe: string, root: string): boolean {
  if (safe === "*") return true;
  return safe.endsWith("/*") ? root.startsWith(safe.slice(0, -1)) : resolve(safe) === root;
}

/** Whether the folder is a working tree of the git directory, and not one that core.worktree of a stranger's configuration names. */
export function isWorkingTreeOf(root: string, gitDir: string): boolean {
  const link = join(root, ".git");
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const target = found.isFile() ? /^gitdir: (.+?)\s*$/.exec(readFileSync(link, "utf8"))?.[1] : link;
  return target !== undefined && real(resolve(dirname(link), target)) === real(gitDir);
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
