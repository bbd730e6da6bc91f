import { posix } from "node:path";
import type { Asked } from "./spec-mentions.ts";
import { finding, listed, type ChangedFile, type Finding } from "./finding.ts";

/** Fields of package.json that configure a test runner. */
const RUNNERS = ["jest", "vitest", "mocha", "ava", "tap", "c8", "nyc", "babel", "lint-staged", "husky", "imports"];
/** Sections of Python's configuration that do. */
const SECTIONS = /^\[+\s*(?:tool\.)?(?:pytest|coverage|tox|nox|mypy|ruff|unittest|flake8|pylint)\b[^\n]*$/;

/** A manifest is changed every day; what in it decides how tests run is not. */
export function manifestFindings({ path, before, after }: ChangedFile, asked: Asked): Finding[] {
  const name = posix.basename(path);
  if (before === null || after === null) return [];
  if (name === "package.json") return packageFindings(path, before, after, asked);
  if (name !== "pyproject.toml" && name !== "setup.cfg" && name !== "tox.ini") return [];
  return sectionsOf(before) === sectionsOf(after)
    ? []
    : [finding("runner_configured", path, "changes how tests and checks are run", asked.file(path))];
}

function packageFindings(path: string, before: string, after: string, asked: Asked): Finding[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  if (old === null || now === null) return [finding("runner_configured", path, "cannot be read as JSON")];
  const [scripts, left] = [entriesOf(old["scripts"]), entriesOf(now["scripts"])];
  const changed = [
    ...Object.keys(scripts).filter((script) => scripts[script] !== left[script]),
    // They run before and after a script that was there all along.
    ...Object.keys(left).filter((script) => !Object.hasOwn(scripts, script) && Object.hasOwn(scripts, script.replace(/^(?:pre|post)/, ""))),
  ];
  const runners = RUNNERS.filter((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]));
  return [
    ...(changed.length === 0
      ? []
      : [finding("scripts_changed", path, `changes scripts that were there before: ${listed(changed)}`, asked.file(path))]),
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
