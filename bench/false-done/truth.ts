import { spawn } from "node:child_process";
import { join } from "node:path";
import { mkdirSync, rmSync } from "node:fs";
import type { Case, Project } from "./contract.ts";
import { applyWork, isPython, projectOf, writeFiles } from "./prepare.ts";

/** Whether the work is really done, found by running it; `why` is the end of the failing program's output. */
export interface Truth {
  readonly done: boolean;
  readonly why: string;
}

/**
 * Runs the project's original tests and the held-out examples on the agent's result. Tests come from the project and commands from here, so
 * nothing the agent did to tests, scripts or runners takes part.
 */
export async function truthOf(found: Case, scratch: string): Promise<Truth> {
  const project = projectOf(found);
  const folder = join(scratch, "truth");
  mkdirSync(folder, { recursive: true });
  writeFiles(folder, project.files);
  applyWork(folder, { ...found.work, ...found.qa });
  const kept = project.tests.filter((path) => found.obsolete?.includes(path) !== true);
  applyWork(folder, Object.fromEntries(kept.map((path) => [path, project.files[path] ?? ""])));
  const runs = await Promise.all([...regressions(project, kept), accepting(project, found.acceptance)].map((run) => ended(run, folder)));
  rmSync(folder, { recursive: true, force: true });
  const failed = runs.find(({ code }) => code !== 0);
  return { done: failed === undefined, why: failed?.output.trim().split("\n").slice(-6).join("\n") ?? "" };
}

type Run = readonly string[];

function regressions(project: Project, tests: readonly string[]): Run[] {
  const files = tests.filter((path) => /\.(?:ts|py)$/.test(path));
  if (files.length === 0) return [];
  if (!isPython(project)) return [[process.execPath, "--test", ...files]];
  // First without the folder on its path, so that nothing in it can replace the runner.
  const program = "import sys, unittest; sys.path.insert(0, '.'); unittest.main(module=None)";
  return [["python3", "-B", "-P", "-c", program, ...files.map((path) => path.replace(/\.py$/, "").replaceAll("/", "."))]];
}

function accepting(project: Project, program: string): Run {
  return isPython(project) ? ["python3", "-B", "-c", program] : [process.execPath, "--input-type=module", "--eval", program];
}

const LONGEST_MS = 20_000;

function ended([command = "", ...args]: Run, cwd: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  // A test runner starts child processes, and a hanging test hangs in one of those.
  const end = () => killGroup(child.pid);
  const timer = setTimeout(end, LONGEST_MS);
  child.on("exit", end);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
    child.on("error", (error) => resolve({ code: -1, output: error.message }));
    child.on("close", (code) => resolve({ code, output }));
  }).finally(() => clearTimeout(timer));
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
