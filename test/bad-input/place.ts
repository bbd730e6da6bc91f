import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { trustNow } from "@slipway/kernel/config/trust/testing/trust-anything";
import { expect } from "vitest";
import { PROGRAM } from "slipway/testing/program";
import type { Project } from "slipway/testing/project";

const NOBODY = 65534;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Around {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** False to start it without trusting the configuration first. */
  readonly trusted?: boolean;
  /** As an unprivileged user, if the tests run as root. */
  readonly asNobody?: boolean;
}

/** The program in a separate process, as a person would start it. No user error may show a stack. */
export async function slipway(project: Pick<Project, "root" | "env">, argv: readonly string[], around: Around = {}): Promise<Ended> {
  const env = { ...project.env, ...around.env };
  const cwd = around.cwd ?? project.root;
  // A repository or configuration that is broken is what the test is about. Root would leave files of its own for another user.
  if (around.trusted !== false && around.asNobody !== true) await trustNow(cwd, env).catch(() => undefined);
  const child = spawn(process.execPath, [...PROGRAM, ...argv], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...(around.asNobody === true && isRoot() ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return withoutBugs({ code, stdout, stderr });
}

/** The same in this process: for tests where the process does not matter. */
export async function inHere(project: Project, argv: readonly string[], cwd = project.root): Promise<Ended> {
  return withoutBugs(await project.slipway(argv, { cwd }));
}

function withoutBugs({ code, stdout, stderr }: Ended): Ended {
  expect(`${stdout}${stderr}`, "a stack trace").not.toMatch(/^\s+at .*[:(]\d+:\d+\)?$/m);
  expect(`${stdout}${stderr}`, "a bug").not.toMatch(/internal_error/);
  return { code, stdout, stderr };
}

const toRun = (project: Project) => ["run", "letters.spec.md", "--cassette", project.cassette];

export const run = (project: Project, ...more: readonly string[]) => slipway(project, [...toRun(project), ...more]);
export const runHere = (project: Project) => inHere(project, toRun(project));

export interface Refusal {
  readonly exit?: number;
  readonly code: string;
  /** The wrong file, field or value. */
  readonly names: readonly string[];
}

/** `code: message` that names what is wrong, then at least one next action, and nothing else. */
export function expectRefused({ code: exit, stdout, stderr }: Ended, { exit: expected = 2, code, names }: Refusal): void {
  expect(stderr, stdout).toMatch(new RegExp(`^${code}: [^]*\\n {2}next: \\S`));
  for (const name of names) expect(stderr).toContain(name);
  expect(exit).toBe(expected);
}

/** Everything that belongs to the user: branches, tags, HEAD, the index, and every file outside Slipway's own folders. */
export function belongings(folder: string, own: readonly string[] = ["letters"]) {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" } });
  const refs = git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash").split("\n");
  return {
    head: readFileSync(join(folder, ".git", "HEAD"), "utf8"),
    refs: refs.filter((line) => !own.some((name) => line.startsWith(`refs/heads/${name} `))),
    index: git("ls-files", "--stage"),
    status: git("status", "--porcelain", "--untracked-files=all"),
    config: git("config", "--local", "--list"),
    files: filesIn(folder),
  };
}

function filesIn(folder: string): Record<string, string> {
  const skipped = new Set([".git", ".slipway", ".worktrees"]);
  const walk = (path: string): [string, string][] =>
    readdirSync(path).flatMap((name): [string, string][] => {
      const file = join(path, name);
      if (skipped.has(name)) return [];
      const found = lstatSync(file);
      if (found.isDirectory()) return walk(file);
      const bytes = found.isSymbolicLink() ? readlinkSync(file) : readFileSync(file);
      return [[relative(folder, file), `${found.mode} ${createHash("sha256").update(bytes).digest("hex")}`]];
    });
  return Object.fromEntries(walk(folder));
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Why permissions cannot be tested here; null if they can. */
export function cannotLosePermissions(): string | null {
  if (!isRoot()) return null;
  const { status } = spawnSync(process.execPath, [...PROGRAM, "--version"], {
    uid: NOBODY,
    gid: NOBODY,
    stdio: "ignore",
    env: { HOME: "/" },
  });
  return status === 0 ? null : `this is root, and user ${NOBODY} cannot run ${PROGRAM.at(-1)}`;
}

export function giveToNobody(...folders: readonly string[]): void {
  if (isRoot()) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, ...folders]);
}

/** Command lines of living processes that contain `text`. */
export function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
      } catch {
        return [];
      }
    })
    .filter((line) => line.includes(text));
}
