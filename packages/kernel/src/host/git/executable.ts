import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { neutralEnvironment } from "./inert-config.ts";
import { runProcess } from "./process.ts";

export interface GitExecutable {
  readonly file: string;
  readonly searchPath: string;
  readonly version: string;
  /** For measurements: wraps each git process, each query to a long-lived one, and each operation done here instead of by git. */
  readonly during?: <T>(work: () => Promise<T>) => Promise<T>;
}

export function gitWork<T>({ during }: GitExecutable, work: () => Promise<T>): Promise<T> {
  return during === undefined ? work() : during(work);
}

/** The first version with `merge-tree --write-tree`, which merging needs. */
const OLDEST: readonly [major: number, minor: number] = [2, 38];

const found = new Map<string, Promise<GitExecutable>>();

/** The git on the search path, looked up once per search path. */
export function findGit(env: Readonly<Record<string, string | undefined>> = process.env): Promise<GitExecutable> {
  // With a relative entry, a program named git in a worktree would be used.
  const searchPath = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
  let git = found.get(searchPath);
  if (git === undefined) {
    git = inspect(searchPath);
    git.catch(() => found.delete(searchPath));
    found.set(searchPath, git);
  }
  return git;
}

async function inspect(searchPath: string): Promise<GitExecutable> {
  const file = searchPath
    .split(delimiter)
    .map((folder) => join(folder, "git"))
    .find(isProgram);
  if (file === undefined) throw missing("git was not found on the PATH.");
  const request = { file, args: ["version"], cwd: "/", env: neutralEnvironment(searchPath, {}), timeoutMs: 30_000, maxOutputBytes: 65_536 };
  const { stdout, signal } = await runProcess(request);
  if (signal !== undefined) throw new SlipwayError("git_failed", `git version failed: it was killed by ${signal}`, { killed: true });
  const version = /(\d+)\.(\d+)[^\s]*/.exec(stdout.toString("utf8"));
  const [text = "unknown", major = "0", minor = "0"] = version ?? [];
  if (Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1])) {
    throw missing(`git ${OLDEST.join(".")} or newer is needed; ${file} is version ${text}.`);
  }
  return { file, searchPath, version: text };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function missing(message: string): SlipwayError {
  return new SlipwayError("git_missing", message, {
    suggested_next_actions: [
      `Install git ${OLDEST.join(".")} or newer (for example \`apt install git\` or \`brew install git\`) and try again.`,
    ],
  });
}
