import { posix } from "node:path";
import { foldedPath } from "../../../paths/paths.ts";
import type { SpecMentions } from "./spec-mentions.ts";
import { finding, listed, type ChangedFile, type TestFinding } from "./finding.ts";

/** Fields of package.json that configure a test runner. */
const RUNNERS = ["jest", "vitest", "mocha", "ava", "tap", "c8", "nyc", "babel", "lint-staged", "husky", "imports"];
/** Sections of Python's configuration that configure a test runner or checker. */
const SECTIONS = /^\[+\s*(?:tool\.)?(?:pytest|coverage|tox|nox|mypy|ruff|unittest|flake8|pylint)\b[^\n]*$/;

/** Scripts that package managers run by themselves. */
const LIFECYCLE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "preinstall",
      "install",
      "postinstall",
      "preprepare",
      "prepare",
      "postprepare",
      "prepublish",
      "dependencies",
      "pnpm:devPreinstall",
    ].map((script) => [script, "npm, pnpm or Yarn runs it at each install"] as const),
  ),
  ...Object.fromEntries(
    ["prepublishOnly", "prepack", "postpack", "publish", "postpublish", "preversion", "version", "postversion"].map(
      (script) => [script, "npm, pnpm or Yarn runs it at each release"] as const,
    ),
  ),
};
/** Fields of package.json that name hooks, or programs that package managers fetch and run. */
const SELF_RUN_FIELDS: Readonly<Record<string, string>> = {
  packageManager: "Corepack fetches and runs it in each command",
  pnpm: "pnpm obeys it at each install",
  trustedDependencies: "Bun runs the install scripts of these",
  gypfile: "npm compiles and runs it at each install",
  "simple-git-hooks": "a git hook runs it at each commit",
  "pre-commit": "a git hook runs it at each commit",
  gitHooks: "a git hook runs it at each commit",
};

/** Parts of pyproject.toml that say what is run at an installation. */
const BUILD =
  /^\[+\s*["']?(?:build-system\b|tool["']?\s*\.\s*["']?(?:hatch|pdm|poetry|setuptools|scikit-build|maturin)\b)|^["']?(?:build-system|tool)["']?\s*[.=]/;
/** A usual [build-system] of a new project only names the tool that builds it. */
const OWN_CODE = /\b(?:backend-path|hooks?|cmdclass|build-script|script)\b/;

/** Manifests change often; report only the fields that decide how tests run, and what runs by itself. */
export function manifestFindings(file: ChangedFile, asked: SpecMentions): TestFinding[] {
  const { path, before, after } = file;
  const name = foldedPath(posix.basename(path));
  if (after === null) return [];
  if (name === "package.json")
    return [...selfRunScripts(file, asked), ...(before === null ? [] : packageFindings(path, before, after, asked))];
  if (name !== "pyproject.toml" && name !== "setup.cfg" && name !== "tox.ini") return [];
  const build = sectionsOf(after, BUILD);
  const isBuilt = name === "pyproject.toml" && (before === null ? OWN_CODE.test(build) : sectionsOf(before, BUILD) !== build);
  return [
    ...(isBuilt
      ? [finding("self_run_file", path, "changes how it is built: pip runs the build at each installation", asked.file(path))]
      : []),
    ...(before === null || sectionsOf(before, SECTIONS) === sectionsOf(after, SECTIONS)
      ? []
      : [finding("runner_configured", path, "changes how tests and checks are run", asked.file(path))]),
  ];
}

/** A new package.json, and each script or field in one that something runs by itself. */
function selfRunScripts({ path, before, after }: ChangedFile, asked: SpecMentions): TestFinding[] {
  const [old, now] = [fieldsOf(before ?? "{}") ?? {}, fieldsOf(after ?? "{}") ?? {}];
  const [scripts, current] = [entriesOf(old["scripts"]), entriesOf(now["scripts"])];
  const verb = before === null ? "adds" : "changes";
  const told = [
    ...Object.entries(LIFECYCLE)
      .filter(([script]) => current[script] !== undefined && current[script] !== scripts[script])
      .map(([script, who]) => `${verb} the script "${script}": ${who}`),
    ...Object.entries(SELF_RUN_FIELDS)
      .filter(([field]) => now[field] !== undefined && JSON.stringify(now[field]) !== JSON.stringify(old[field]))
      .map(([field, who]) => `${verb} "${field}": ${who}`),
  ];
  if (told.length === 0 && before === null) told.push("adds a package: npm, pnpm or Yarn runs the install scripts of what it depends on");
  return told.length === 0 ? [] : [finding("self_run_file", path, told.join("; "), asked.file(path))];
}

function packageFindings(path: string, before: string, after: string, asked: SpecMentions): TestFinding[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  if (old === null || now === null) return [finding("runner_configured", path, "cannot be read as JSON")];
  const [scripts, current] = [entriesOf(old["scripts"]), entriesOf(now["scripts"])];
  const isTold = (script: string) => Object.hasOwn(LIFECYCLE, script) && current[script] !== undefined;
  const changed = [
    ...Object.keys(scripts).filter((script) => scripts[script] !== current[script] && !isTold(script)),
    // pre and post hooks of an existing script.
    ...Object.keys(current).filter(
      (script) => !Object.hasOwn(scripts, script) && Object.hasOwn(scripts, script.replace(/^(?:pre|post)/, "")) && !isTold(script),
    ),
  ];
  const runners = RUNNERS.filter((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]));
  return [
    ...(changed.length === 0 ? [] : [finding("scripts_changed", path, `changes existing scripts: ${listed(changed)}`, asked.file(path))]),
    ...(runners.length === 0
      ? []
      : [finding("runner_configured", path, `changes how tests are run: ${listed(runners)}`, asked.file(path))]),
  ];
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return entriesOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function entriesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function sectionsOf(text: string, wanted: RegExp): string {
  let isOurs = false;
  return text
    .split("\n")
    .filter((line) => {
      if (/^\s*\[/.test(line)) isOurs = wanted.test(line.trim());
      return (isOurs || wanted.test(line.trim())) && line.trim() !== "";
    })
    .join("\n");
}
