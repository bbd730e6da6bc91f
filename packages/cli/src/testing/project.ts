import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { GATES, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { trustFilesOf } from "@slipway/kernel/config/trust/testing/trust-anything";
import { layoutAt } from "@slipway/kernel/host/layout";
import { ungatedPlaces, type UngatedPlaces } from "@slipway/kernel/host/ungated-folder";
import { collectingIo, git, scratchFolder, scratchRepository } from "../init/testing/scratch.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { main } from "../main.ts";

/** A minimal repository: its gate is a grep and its agents' answers are recorded, so a run is fast. */
export interface Project {
  readonly root: string;
  readonly home: string;
  readonly cassette: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Parent folder of worktrees, packs and requests, unless the policy names another. */
  readonly ungated: UngatedPlaces;
  git(...args: readonly string[]): string;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Records a role's answer at an attempt at a feature, `letters` by default. */
  record(role: string, attempt: string, output: unknown, subject?: string): void;
  slipway(argv: readonly string[], more?: Partial<Io>): Promise<Ended>;
  /** `slipway run letters.spec.md` with the recorded answers. */
  run(...more: readonly string[]): Promise<Ended>;
  /** Reads or changes rows of the database directly. */
  sql(statement: string): Record<string, unknown>[];
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** One value for each line that a `--json` command wrote. */
  json<T>(): T[];
}

export const FILES: Readonly<Record<string, string>> = {
  "check.sh": "if grep -rn BUG src; then exit 1; fi\n",
  "src/a.txt": "one\n",
  "src/b.txt": "one\n",
  "letters.spec.md": "# Letters\n\nThe first letter file says two.\n",
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": POLICY,
  "slipway/agents.yaml": "version: 1\nroles: {}\nruntime:\n  default_provider: replay\n",
};

/** A project whose recorded answers lead straight to the approval. `files` replaces or adds committed files. */
export function letters(files: Readonly<Record<string, string>> = {}): Project {
  const project = projectIn(scratchRepository({ ...FILES, ...files }), scratchFolder());
  put(join(project.cassette, "cassette.json"), JSON.stringify({ version: 1, created: "2026-11-15", description: "letters" }));
  answersFor(project, "letters", "src/a.txt");
  trustFilesOf(project.root, project.env);
  return project;
}

/** The folders of `lettersToApprove`, and copies of their state at that time. */
let kept: { readonly folders: readonly [string, string]; readonly copies: readonly [string, string] } | undefined;

/**
 * The same after `run()`, waiting for the approval. Made once, then restored at the same path, because the records contain absolute paths.
 */
export async function lettersToApprove(): Promise<Project> {
  if (kept !== undefined && !kept.folders.some((folder) => existsSync(folder))) {
    const { folders, copies } = kept;
    onTestFinished(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
    for (const index of [0, 1] as const) copyFolder(copies[index], folders[index]);
    return projectIn(...folders);
  }
  const project = letters();
  await project.run();
  const copies = mkdtempSync(join(tmpdir(), "slipway-cli-kept-"));
  kept = { folders: [project.root, project.home], copies: [join(copies, "root"), join(copies, "home")] };
  for (const index of [0, 1] as const) copyFolder(kept.folders[index], kept.copies[index]);
  return project;
}

/** Preserves the modes of folders, which Node's own copy does not. */
function copyFolder(from: string, to: string): void {
  execFileSync("cp", ["--archive", from, to]);
}

/** A project for an existing repository, with a home folder beside it. */
export function projectIn(root: string, home: string): Project {
  const cassette = join(home, "cassette");
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  const project: Project = {
    root,
    home,
    cassette,
    env,
    ungated: ungatedPlaces(layoutAt(root), join(home, "state", "slipway")),
    git: (...args) => git(root, ...args),
    read: (path) => readFileSync(resolve(root, path), "utf8"),
    write: (path, text) => put(resolve(root, path), text),
    record: (role, attempt, output, subject = "letters") =>
      put(
        join(cassette, role, `${subject}.${attempt}.json`),
        JSON.stringify({
          role,
          subject,
          attempt,
          prompt_digest: null,
          output,
          usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.01 },
        }),
      ),
    slipway: (argv, more = {}) => slipway(argv, root, { env, ...more }),
    run: (...more) => project.slipway(["run", "letters.spec.md", "--cassette", cassette, ...more]),
    sql: (statement) => query(layoutAt(root).database, statement),
  };
  return project;
}

export function answersFor(project: Project, feature: string, path: string): void {
  project.record("planner", "1", planFor(feature, { files: { create: [], modify: [path], delete: [] } }), feature);
  project.record("builder", "1", patchOf(path, "one", "two"), feature);
  project.record("qa", "1", nothingMissing(path), feature);
}

/** Runs the command in this process and captures its output. */
export async function slipway(argv: readonly string[], cwd: string, more: Partial<Io> = {}): Promise<Ended> {
  const io = collectingIo(cwd, more);
  const code = await main(argv, io);
  const stdout = io.stdout();
  // Colour and cursor movements must only reach terminals.
  if (!io.terminal && `${stdout}${io.stderr()}`.includes("\u001b"))
    throw new Error(`escape sequences in a pipe: ${JSON.stringify(stdout + io.stderr())}`);
  return { code, stdout, stderr: io.stderr(), json: <T>() => jsonLines<T>(stdout) };
}

export function query(database: string, statement: string): Record<string, unknown>[] {
  const connection = new DatabaseSync(database, { timeout: 5000 });
  try {
    return connection.prepare(statement).all();
  } finally {
    connection.close();
  }
}

export function jsonLines<T>(text: string): T[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

export function planFor(feature: string, changes: Readonly<Record<string, unknown>> = {}) {
  return {
    type: "PLAN_SUBMISSION",
    plan: {
      feature_id: feature,
      plan_version: 1,
      summary: "change the letters",
      allowed_areas: ["src"],
      forbidden_areas: [],
      base_ref: "main",
      files: { create: [], modify: ["src/a.txt"], delete: [] },
      contracts: { openapi: "none", events: "none", db: "none" },
      acceptance_criteria: ["the letters are changed"],
      ...changes,
    },
  };
}

/** QA's answer that the only changed line of a file is tested enough. */
export function nothingMissing(path: string) {
  const updates = [{ path, hunks: [{ start_line: 1, end_line: 1 }], status: "passed" }];
  return { type: "NOTE", text: "every criterion is covered", updates };
}

/** A diff that replaces the only line of a file. */
export function patchOf(path: string, from: string, to: string) {
  return {
    type: "PATCH",
    summary: `${from} to ${to}`,
    unified_diff: `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`,
  };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
