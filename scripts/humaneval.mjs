// `npm run campaign:humaneval -- --language python --data FOLDER [--tasks 0-20]`: the tasks of HumanEvalPack as projects with one hole. The
// canonical body must compile and pass its tests, the buggy one must be rejected, and a discarded body must leave every byte as it was.
// FOLDER has one file for each language, such as python.jsonl; SLIPWAY_HUMANEVAL names it as well. The data are not part of this project.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setUp } from "./setup.mjs";

const LANGUAGES = ["python", "rust", "go", "java", "cpp"];
const { values } = parseArgs({
  options: { language: { type: "string" }, data: { type: "string" }, tasks: { type: "string" }, inside: { type: "boolean" } },
});
const data = values.data ?? process.env.SLIPWAY_HUMANEVAL;
const wanted = values.language === undefined ? LANGUAGES : values.language.split(",");
const unknown = wanted.find((name) => !LANGUAGES.includes(name));
if (unknown !== undefined) fail(`There is no ${unknown} here. Choose from ${LANGUAGES.join(", ")}.`);
if (data === undefined) fail("Say where the data are: --data FOLDER, or SLIPWAY_HUMANEVAL.");
if (values.inside !== true) {
  const { node } = setUp();
  const args = [
    "--conditions=slipway-source",
    "--disable-warning=ExperimentalWarning",
    process.argv[1],
    "--inside",
    ...process.argv.slice(2),
  ];
  process.exit(spawnSync(node, args, { stdio: "inherit" }).status ?? 1);
}

const { openSandbox } = await import("../packages/kernel/src/host/sandbox/sandbox.ts");
const { languageAdapter } = await import("../packages/languages/src/adapters.ts");
const { readTasks, runTask } = await import("../packages/languages/src/testing/humaneval.ts");

const sandbox = await openSandbox();
const [from = 0, to = Number.POSITIVE_INFINITY] = (values.tasks ?? "").split("-").filter(Boolean).map(Number);
const packages = [join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "slipway", "languages", "node_modules")].filter((folder) =>
  existsSync(folder),
);
const rows = [];
let failures = 0;
for (const language of wanted) {
  const cache = mkdtempSync(join(tmpdir(), "slipway-humaneval-"));
  const adapter = await languageAdapter(language, { env: process.env, packages, cache });
  for (const { tool, neededFor, install } of await adapter.missingTools())
    process.stdout.write(`${tool} is missing (${neededFor}): ${install}\n`);
  const tasks = readTasks(join(data, `${language}.jsonl`)).slice(from, to + 1);
  const counts = { tasks: 0, "as expected": 0, compiler: 0, tests: 0, broken: 0, injection: 0 };
  const began = performance.now();
  for (const task of tasks) {
    const { exceptions, rejectedBy } = await runTask(adapter, sandbox, task);
    counts.tasks++;
    if (rejectedBy !== null) counts[rejectedBy === "tests" ? "tests" : rejectedBy]++;
    if (exceptions.length === 0) counts["as expected"]++;
    else failures++;
    for (const exception of exceptions) process.stdout.write(`${task.task_id}: ${exception.replaceAll(/\s+/g, " ").slice(0, 300)}\n`);
  }
  rows.push({ language, ...counts, seconds: Math.round((performance.now() - began) / 1000) });
  rmSync(cache, { recursive: true, force: true });
}
const names = Object.keys(rows[0] ?? {});
const line = (cells) => `| ${cells.join(" | ")} |\n`;
process.stdout.write(`\nBuggy bodies are rejected by the compiler, by failing tests, by a broken run, or when they are injected.\n\n`);
process.stdout.write(line(names) + line(names.map(() => "---")) + rows.map((row) => line(names.map((name) => row[name]))).join(""));
process.exit(failures === 0 ? 0 : 1);

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
