import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { trustFilesOf } from "@slipway/kernel/config/trust/testing/trust-anything";
import { PROGRAM } from "slipway/testing/program";
import { writeCassette, type Said } from "./cassette.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const CONFIGURATION = join(ROOT, "packages", "protocols", "demos", "criticality", "project", "slipway");

export interface ProgramProject {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  run(command: string, args: readonly string[]): { readonly status: number | null; readonly output: string };
  git(...args: readonly string[]): string;
  slipway(...args: readonly string[]): { readonly status: number | null; readonly output: string };
}

/** A repository with these files and the configuration of the demo, and a cassette beside it. */
export function programProject(
  files: Readonly<Record<string, string>>,
  said: readonly Said[],
  packages: readonly string[] = [],
): ProgramProject {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-program-")));
  const root = join(home, "repository");
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    // Found by HOME otherwise.
    PYENV_ROOT: process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  const run: ProgramProject["run"] = (command, args) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    return { status, output: `${stdout}${stderr}` };
  };
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, env, encoding: "utf8" });
  mkdirSync(root);
  cpSync(CONFIGURATION, join(root, "slipway"), { recursive: true });
  for (const [path, text] of Object.entries({ ".gitignore": "node_modules/\n.slipway/\nreports/\n", ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const policy = join(root, "slipway", "policy.yaml");
  if (packages.length === 0) writeFileSync(policy, readFileSync(policy, "utf8").replace(/^sandbox:.*\n/m, ""));
  for (const name of packages) cpSync(join(ROOT, "node_modules", name), join(root, "node_modules", name), { recursive: true });
  git("init", "--quiet", "--initial-branch", "main");
  git("config", "user.name", "Kim");
  git("config", "user.email", "kim@example.com");
  git("add", "--all");
  git("commit", "--quiet", "--message", "A project");
  trustFilesOf(root, env);
  const cassette = join(home, "cassette");
  writeCassette(cassette, "answers of a test", said);
  return {
    root,
    env,
    run,
    git,
    slipway: (...args) =>
      run(process.execPath, [...PROGRAM, ...args, ...(args.includes("--spec") || args[0] === "resume" ? ["--cassette", cassette] : [])]),
  };
}

export interface Written {
  /** Everything that the run told. */
  readonly output: string;
  /** Its result. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** Runs criticality to the merge, which a person approves. */
export function writeProgram(project: ProgramProject, name: string): Written {
  const steps = [
    ["criticality", "--spec", "spec.toml"],
    ["approve", name],
    ["resume", "--json"],
  ] as const;
  const outputs = steps.map((args) => project.slipway(...args).output);
  const result = outputs.at(-1)?.trim().split("\n").at(-1) ?? "";
  const value = result.startsWith("{") ? (JSON.parse(result) as { value?: Written["value"] }).value : undefined;
  return { output: outputs.join("\n"), value: value ?? {} };
}

/** What the compiler says of a program with its own settings. */
export function compileProblems({ run }: ProgramProject): string {
  const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  return run(process.execPath, [compiler, "--noEmit", "--typeRoots", join(ROOT, "node_modules", "@types"), "--types", "node"]).output;
}
