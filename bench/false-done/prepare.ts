import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GATES_FILE, type Case, type Edit, type Project, type Task, type Work } from "./contract.ts";
import { PROJECTS } from "./projects.ts";

const AGENT = join(import.meta.dirname, "agent.mjs");

/** A repository with the project, the specification beside it and an agent that acts as the case says. */
export function prepare(original: Case, gatesFile: string | null, scratch: string): Task {
  const found = withGatesFile(original, gatesFile);
  const project = projectOf(found);
  const folder = join(scratch, "repository");
  const spec = join(scratch, "specs", `${found.id.replaceAll("-", "_")}.spec.md`);
  const script = join(scratch, "script.json");
  writeFiles(folder, project.files);
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=project");
  writeFiles(dirname(spec), { [spec.slice(dirname(spec).length + 1)]: found.spec });
  writeFileSync(script, JSON.stringify(scriptFor(found, project, scratch)));
  return { case: found, project, folder, scratch, spec, agent: [process.execPath, AGENT, script] };
}

export function projectOf({ project }: Case): Project {
  const found = PROJECTS.find(({ name }) => name === project);
  if (found === undefined) throw new Error(`There is no project ${project}.`);
  return found;
}

export function isPython({ tests }: Project): boolean {
  return tests.every((path) => path.endsWith(".py"));
}

function withGatesFile(found: Case, gatesFile: string | null): Case {
  if (!Object.hasOwn(found.work, GATES_FILE)) return found;
  const { [GATES_FILE]: text = null, ...rest } = found.work;
  return { ...found, work: { ...rest, [gatesFile ?? "gates.yaml"]: text } };
}

function scriptFor(found: Case, project: Project, scratch: string) {
  const { first, work, qa = {}, conduct = "delivers" } = found;
  const stages = first === undefined ? [work] : [first, work];
  return {
    conduct,
    work,
    qa,
    plan: planFor(found, project),
    patches: {
      builder: stages.map((stage, index) => patchFor(project, stages[index - 1] ?? {}, stage, join(scratch, `patch-${index}`))),
      qa: Object.keys(qa).length === 0 ? null : patchFor(project, work, { ...work, ...qa }, join(scratch, "patch-qa")),
    },
  };
}

function planFor({ id, what, first = {}, work, qa = {}, plan = {} }: Case, { files }: Project) {
  const edits = Object.entries({ ...first, ...work, ...qa }).filter(([path]) => !isUnsafe(path));
  const list = (wanted: (path: string, edit: Edit) => boolean) => edits.filter(([path, edit]) => wanted(path, edit)).map(([path]) => path);
  const exists = (path: string) => Object.hasOwn(files, path) || path.startsWith("slipway/");
  return {
    feature_id: id.replaceAll("-", "_"),
    plan_version: 1,
    summary: `${id}: what the specification says`,
    allowed_areas: ["."],
    forbidden_areas: [],
    base_ref: "main",
    files: {
      create: list((path, edit) => edit !== null && !exists(path)),
      modify: list((path, edit) => edit !== null && exists(path)),
      delete: list((_path, edit) => edit === null),
    },
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: [what],
    ...plan,
  };
}

/** A diff between two states of the project, as an agent would deliver it. */
function patchFor({ files }: Project, before: Work, after: Work, folder: string): string {
  writeFiles(folder, files);
  applyWork(folder, before);
  git(folder, "init", "--quiet");
  git(folder, "add", "--all", "--force");
  git(folder, "commit", "--quiet", "--message=before");
  applyWork(folder, after);
  for (const path of Object.keys(before)) if (!Object.hasOwn(after, path)) applyWork(folder, { [path]: files[path] ?? null });
  git(folder, "add", "--all", "--force");
  const text = git(folder, "diff", "--cached", "--binary", "--no-renames", "--no-color");
  const unsafe = Object.entries(after).flatMap(([path, edit]) =>
    isUnsafe(path) && typeof edit === "string" ? [addition(path, edit)] : [],
  );
  rmSync(folder, { recursive: true });
  return text + unsafe.join("") || NOTHING;
}

/** A patch without effect. */
const NOTHING =
  "diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n-# Till\n+# Till\n \n Adds up prices and prints receipts.\n";

/** A path that git would not stage, but that an agent can write into a diff. */
function isUnsafe(path: string): boolean {
  return path.startsWith("../") || path.startsWith(".git/");
}

function addition(path: string, text: string): string {
  const lines = text.trimEnd().split("\n");
  const body = lines.map((line) => `+${line}\n`).join("");
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${body}`;
}

export function applyWork(folder: string, work: Work): void {
  for (const [path, edit] of Object.entries(work)) {
    if (isUnsafe(path)) continue;
    const file = join(folder, path);
    rmSync(file, { force: true });
    if (edit === null) continue;
    mkdirSync(dirname(file), { recursive: true });
    if (typeof edit === "string") writeFileSync(file, edit, { mode: path.includes("/.bin/") ? 0o755 : 0o644 });
    else symlinkSync(edit.link, file);
  }
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  applyWork(folder, files);
}

const IDENTITY = ["user.name=kim", "user.email=kim@localhost", "commit.gpgSign=false", "core.hooksPath=/dev/null", "gc.auto=0"];

export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", [...IDENTITY.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: "/", GIT_CONFIG_NOSYSTEM: "1" },
  });
}
