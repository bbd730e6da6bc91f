import { z } from "zod";
import type { ProjectFiles, ProjectCommand, ToolKind } from "./tooling.ts";

const versions = z.record(z.string(), z.unknown()).catch({}).default({});
const manifestSchema = z.looseObject({
  scripts: z.record(z.string(), z.string()).catch({}).default({}),
  dependencies: versions,
  devDependencies: versions,
});
type Manifest = z.output<typeof manifestSchema>;

/** Names of scripts, best first. */
const SCRIPTS: Readonly<Record<ToolKind, readonly string[]>> = {
  build: ["build", "compile"],
  typecheck: ["typecheck", "type-check", "check-types", "check:types", "tsc"],
  lint: ["lint", "lint:check"],
  tests: ["test", "test:unit", "test:ci"],
};

const PLACEHOLDER = /no test specified|^\s*(?:(?:echo\b[^&|;]*)?(?:(?:&&|;)?\s*exit\s+\d+)?|true|:)\s*$/i;
const WRITES = /(?:^|\s)(?:--fix|--write|--update-?snapshots?|-u)(?=\s|$)/i;
const WATCHES = /(?:^|\s)(?:--watch(?:All)?(?!=false)|-w)(?=[\s=]|$)/;

export async function nodeTools(project: ProjectFiles): Promise<ProjectCommand[]> {
  const manifest = manifestOf(await project.text("package.json"));
  const manager = managerOf(project);
  const chosen: ProjectCommand[] = [];
  for (const [kind, names] of Object.entries(SCRIPTS) as [ToolKind, readonly string[]][]) {
    const script = names.find((name) => isUsable(manifest.scripts[name]));
    const tool = script === undefined ? await withoutScript(kind, project, manifest) : run(kind, manager, script);
    if (tool !== null) chosen.push(tool);
  }
  return chosen;
}

function manifestOf(text: string): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch {
    return { scripts: {}, dependencies: {}, devDependencies: {} };
  }
}

function isUsable(script: string | undefined): boolean {
  return script !== undefined && !PLACEHOLDER.test(script) && !WRITES.test(script) && !WATCHES.test(script);
}

function managerOf(project: ProjectFiles): string {
  if (project.has("pnpm-lock.yaml")) return "pnpm";
  if (project.has("yarn.lock")) return "yarn";
  return project.has("bun.lock") || project.has("bun.lockb") ? "bun" : "npm";
}

function run(kind: ToolKind, manager: string, script: string): ProjectCommand {
  return { kind, tool: manager, command: manager === "npm" ? ["npm", "run", "--silent", script] : [manager, "run", script] };
}

/** Only an installed package is started: a sandbox has no network. */
const installed = (kind: ToolKind, tool: string, ...args: string[]): ProjectCommand => ({
  kind,
  tool,
  command: ["npx", "--no-install", tool, ...args],
});

async function withoutScript(kind: ToolKind, project: ProjectFiles, manifest: Manifest): Promise<ProjectCommand | null> {
  const uses = (name: string) => name in manifest.dependencies || name in manifest.devDependencies;
  const configured = (pattern: RegExp) => project.paths.some((path) => pattern.test(path));
  if (kind === "typecheck" && project.has("tsconfig.json") && uses("typescript"))
    return installed(kind, "tsc", "--noEmit", "-p", "tsconfig.json");
  if (kind === "lint") {
    if (uses("eslint") && configured(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/)) return installed(kind, "eslint", ".");
    if (uses("oxlint")) return installed(kind, "oxlint");
    if (uses("@biomejs/biome") && configured(/^biome\.jsonc?$/)) return installed(kind, "biome", "lint", ".");
  }
  if (kind === "tests") {
    if (uses("vitest")) return installed(kind, "vitest", "run");
    if (uses("jest")) return installed(kind, "jest");
    if (await usesNodeTest(project)) return { kind, tool: "node", command: ["node", "--test"] };
  }
  return null;
}

const READ_AT_MOST = 20;

async function usesNodeTest(project: ProjectFiles): Promise<boolean> {
  const tests = project.paths.filter((path) => /\.test\.[cm]?js$|(?:^|\/)tests?\/[^/]*\.[cm]?js$/.test(path));
  for (const path of tests.slice(0, READ_AT_MOST)) if (/["']node:test["']/.test(await project.text(path))) return true;
  return false;
}
