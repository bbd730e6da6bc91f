import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES = 200;

export type Files = Readonly<Record<string, string>>;

/** The same 200 files for both, one folder each so that a hundred plans do not collide, and the configuration of one side. */
export function makeRepository(root: string, configuration: Files = {}): void {
  for (let number = 0; number < FILES; number++) write(root, { [sourceOf(number)]: source(number) });
  write(root, configuration);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], { cwd: root });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
}

export function write(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export function areaOf(number: number): string {
  return `src/part_${number}`;
}

export function sourceOf(number: number): string {
  return `${areaOf(number)}/source.ts`;
}

function source(number: number): string {
  const lines = Array.from({ length: 40 }, (_, line) => `export const value_${line} = ${number * 1000 + line};`);
  return `${["// edit 0", ...lines].join("\n")}\n`;
}

/** Changes the first line, which every earlier edit has changed. */
export function nextEdit(number: number, edit: number): string {
  const path = sourceOf(number);
  const [first, second] = [`export const value_0 = ${number * 1000};`, `export const value_1 = ${number * 1000 + 1};`];
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n-// edit ${edit - 1}\n+// edit ${edit}\n ${first}\n ${second}\n`;
}

export function specOf(feature: string): string {
  return `# ${feature}\n\nChange the first line of its file.\n\n## Acceptance criteria\n\n- The first line is changed.\n`;
}

/** A plan that both accept: one modified file in its own area. */
export function planOf(feature: string, number: number) {
  return {
    feature_id: feature,
    plan_version: 1,
    summary: "change the first line",
    allowed_areas: [areaOf(number)],
    forbidden_areas: [],
    base_ref: "main",
    files: { create: [], modify: [sourceOf(number)], delete: [] },
    contracts: { openapi: "none", events: "none", db: "none" },
    acceptance_criteria: ["the first line is changed"],
    gate_profile: "default",
  };
}
