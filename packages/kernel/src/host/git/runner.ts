import type { Child } from "../launcher/child.ts";
import { SlipwayError } from "../../schema/errors.ts";
import { gitWork, type GitExecutable } from "./executable.ts";
import { NEUTRAL_CONFIG, neutralEnvironment } from "./inert-config.ts";
import { runProcess, startProcess, type GitOutcome } from "./process.ts";

export interface GitOptions {
  readonly input?: Uint8Array | string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Exit codes besides 0 that are not failures. */
  readonly allowExit?: readonly number[];
  /** A process that `start` began with the same arguments and that waits for `input`. */
  readonly started?: Child | undefined;
  readonly signal?: AbortSignal;
  readonly maxOutputBytes?: number;
  /** Truncate output that is too long instead of failing. */
  readonly cutOutput?: boolean;
}

export interface GitResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number;
  /** The output was truncated. */
  readonly cut?: boolean;
}

export interface Git {
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>;
  /** Standard output as text, exactly as git wrote it. */
  text(args: readonly string[], options?: GitOptions): Promise<string>;
  /** Starts a process whose input stays open, such as a ref transaction between prepare and commit. */
  start(args: readonly string[]): Promise<Child>;
}

export interface GitTarget {
  readonly executable: GitExecutable;
  readonly cwd: string;
  /** Without it git searches upwards from `cwd`; only for finding the repository. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Overrides the inert configuration. */
  readonly config?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const SHOWS_DIFFS: ReadonlySet<string> = new Set([
  "diff",
  "diff-tree",
  "diff-index",
  "diff-files",
  "log",
  "show",
  "format-patch",
  "whatchanged",
]);

/** The only place that starts git. The git directory is explicit, so a `.git` planted in a worktree is never used. */
export function createGit(target: GitTarget): Git {
  const env = {
    ...neutralEnvironment(target.executable.searchPath, { ...NEUTRAL_CONFIG, ...target.config }),
    ...(target.gitDir === undefined ? {} : { GIT_DIR: target.gitDir }),
    ...(target.workTree === undefined ? {} : { GIT_WORK_TREE: target.workTree }),
    ...(target.indexFile === undefined ? {} : { GIT_INDEX_FILE: target.indexFile }),
    ...target.env,
  };
  const request = (args: readonly string[], options: GitOptions = {}) => ({
    file: target.executable.file,
    args: ["--no-pager", ...withoutDrivers(args)],
    cwd: options.cwd ?? target.cwd,
    env: { ...env, ...options.env },
  });

  async function run(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    const {
      input,
      signal,
      started,
      timeoutMs = TIMEOUT_MS,
      maxOutputBytes = MAX_OUTPUT_BYTES,
      allowExit = [],
      cutOutput = false,
    } = options;
    const asked = { ...request(args, options), input, signal, started, timeoutMs, maxOutputBytes };
    const outcome = await gitWork(target.executable, () => runProcess(asked));
    if (outcome.stopped === "aborted") throw signal?.reason;
    if (outcome.stopped === "too_much_output" && cutOutput) return { ...outcome, cut: true };
    if (outcome.stopped === undefined && (outcome.exitCode === 0 || allowExit.includes(outcome.exitCode))) return outcome;
    throw gitFailure(args, outcome, outcome.stopped === "timeout" ? `did not end within ${timeoutMs} ms` : undefined);
  }

  return {
    run,
    text: async (args, options) => (await run(args, options)).stdout.toString("utf8"),
    start: (args) => startProcess(request(args)),
  };
}

/** Turns off diff programs that the configuration names per file type, for commands that show a diff. */
function withoutDrivers([command = "", ...rest]: readonly string[]): string[] {
  return SHOWS_DIFFS.has(command) ? [command, "--no-ext-diff", "--no-textconv", ...rest] : [command, ...rest];
}

function gitFailure(args: readonly string[], { stderr, exitCode, stopped, signal }: GitOutcome, why?: string): SlipwayError {
  const command = args.slice(0, 8).join(" ");
  const reason = why ?? (stopped === "too_much_output" ? "it wrote too much output" : firstProblem(stderr, signal));
  if (/No space left on device|Disk quota exceeded|Out of diskspace/.test(stderr)) {
    return new SlipwayError("disk_full", `git ${args[0]} found no space left on the disk: ${reason}`, {
      suggested_next_actions: ["Free some space on the disk that holds the repository, then run `slipway resume`."],
    });
  }
  // git could not write for an unknown reason: a disk problem, not a failure of the run.
  if (/unable to write|write error|Read-only file system|Input\/output error/.test(stderr)) {
    return new SlipwayError("io_error", `git ${args[0]} could not write: ${reason}`, {
      stderr: stderr.slice(0, 4_096),
      suggested_next_actions: [
        "Check that the disk has space and that the repository is writable for your user, then run `slipway resume`.",
      ],
    });
  }
  return new SlipwayError("git_failed", `git ${args[0]} failed: ${reason}`, {
    command,
    exit_code: exitCode,
    stderr: stderr.slice(0, 4_096),
    stopped: stopped ?? null,
    killed: signal !== undefined,
  });
}

function firstProblem(stderr: string, signal: string | undefined): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return (
    lines.find((line) => /^(?:fatal|error):/.test(line)) ??
    lines[0] ??
    (signal === undefined ? "it gave no reason" : `it was killed by ${signal}`)
  );
}

export function stderrOf(error: unknown): string {
  return error instanceof SlipwayError && typeof error.details["stderr"] === "string" ? error.details["stderr"] : "";
}

/** A killed git may have left a lock, or may have completed its work. */
export function wasKilled(error: unknown): boolean {
  return error instanceof SlipwayError && error.details["killed"] === true;
}
