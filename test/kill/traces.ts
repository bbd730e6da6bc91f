import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { git, type Ended } from "./flow.ts";

export function endedWithMerge({ code, stdout, stderr }: Ended): string[] {
  const merged = code === 0 && stdout.includes('"status":"completed"') && stdout.includes('"status":"merged"');
  return merged ? [] : [`the run did not end with a merge: exit ${code} ${stdout} ${stderr}`];
}

/** The files that the base holds. */
export function mergedFiles(folder: string): Record<string, string> {
  const paths = git(folder, ["ls-tree", "-r", "--name-only", "main"]).trim().split("\n");
  return Object.fromEntries(paths.map((path) => [path, git(folder, ["show", `main:${path}`])]));
}

/** The files of the only run, without the texts of its journal and of databases. */
export function filesOfRun(folder: string): Record<string, string> {
  const runs = join(folder, ".slipway", "runs");
  const place = join(runs, readdirSync(runs)[0] ?? "");
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  // A half-written file of a killed process is left under a temporary name.
  const names = files
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .filter((name) => !/\.slipway-\w+\.tmp$/.test(name));
  const textOf = (name: string) => (/^(?:journal\.jsonl|.*\.db)$/.test(name) ? "" : readFileSync(join(place, name), "utf8"));
  return Object.fromEntries(names.map((name) => [name, textOf(name)]));
}

export function withoutTimes(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:-]+(?:\.\d+)?Z/g, "<time>")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "<digest>")
    .replaceAll(/[\d.]+ ?ms|duration_ms [\d.]+/g, "<duration>");
}

export function entriesOf(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts)
    .map((entry) => JSON.stringify(entry))
    .toSorted();
}

const times = (list: readonly string[], one: string) => list.filter((other) => other === one).length;

export function differences(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const all = [...new Set([...found, ...expected])].filter((one) => times(found, one) !== times(expected, one));
  return all.map((one) => `${what} is there ${times(found, one)} times instead of ${times(expected, one)}: ${one.slice(0, 500)}`);
}
