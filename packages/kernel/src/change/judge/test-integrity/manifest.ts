import { posix } from "node:path";
import type { SpecMentions } from "./spec-mentions.ts";
import { finding, listed, type ChangedFile, type TestFinding } from "./finding.ts";

/** Fields of package.json that configure a test runner. */
const RUNNERS = ["jest", "vitest", "mocha", "ava", "tap", "c8", "nyc", "babel", "lint-staged", "husky", "imports"];
/** Sections of Python's configuration that configure a test runner or checker. */
const SECTIONS = /^\[+\s*(?:tool\.)?(?:pytest|coverage|tox|nox|mypy|ruff|unittest|flake8|pylint)\b[^\n]*$/;

/** Manifests change often; report only the fields that decide how tests run. */
export function manifestFindings({ path, before, after }: ChangedFile, asked: SpecMentions): TestFinding[] {
  const name = posix.basename(path);
  if (before === null || after === null) return [];
  if (name === "package.json") return packageFindings(path, before, after, asked);
  if (name !== "pyproject.toml" && name !== "setup.cfg" && name !== "tox.ini") return [];
  return sectionsOf(before) === sectionsOf(after)
    ? []
    : [finding("runner_configured", path, "changes how tests and checks are run", asked.file(path))];
}

function packageFindings(path: string, before: string, after: string, asked: SpecMentions): TestFinding[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  if (old === null || now === null) return [finding("runner_configured", path, "cannot be read as JSON")];
  const [scripts, current] = [entriesOf(old["scripts"]), entriesOf(now["scripts"])];
  const changed = [
    ...Object.keys(scripts).filter((script) => scripts[script] !== current[script]),
    // pre and post hooks of an existing script.
    ...Object.keys(current).filter(
      (script) => !Object.hasOwn(scripts, script) && Object.hasOwn(scripts, script.replace(/^(?:pre|post)/, "")),
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

function sectionsOf(text: string): string {
  let isOurs = false;
  return text
    .split("\n")
    .filter((line) => {
      if (/^\s*\[/.test(line)) isOurs = SECTIONS.test(line.trim());
      return isOurs && line.trim() !== "";
    })
    .join("\n");
}
