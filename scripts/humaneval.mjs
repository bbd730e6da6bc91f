// `npm run campaign:humaneval -- --language python --data FOLDER [--tasks 0-20]`: the tasks of HumanEvalPack as projects with one hole. The
// canonical body must compile and pass its tests, the buggy one must be rejected, and a discarded body must leave every byte as it was.
// JavaScript runs through the adapter of TypeScript. FOLDER has one file for each language, such as python.jsonl; SLIPWAY_HUMANEVAL names it as well. The data are not part of this project.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setUp } from "./setup.mjs";

/** The adapter and the file of each language. */
const CORPORA = {
  javascript: { id: "typescript", file: "js.jsonl" },
  python: { id: "python", file: "python.jsonl" },
  go: { id: "go", file: "go.jsonl" },
  rust: { id: "rust", file: "rust.jsonl" },
  java: { id: "java", file: "java.jsonl" },
  cpp: { id: "cpp", file: "cpp.jsonl" },
};
/** What becomes of a wrong body. */
const REJECTIONS = {
  tests: "wrong body fails tests",
  broken: "ends them early",
  compiler: "does not compile",
  injection: "is not injected",
  nothing: "passes",
};
const LANGUAGES = Object.keys(CORPORA);
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
for (const language of wanted) {
  const cache = mkdtempSync(join(tmpdir(), "slipway-humaneval-"));
  const { id, file } = CORPORA[language];
  const adapter = await languageAdapter(id, { env: process.env, packages, cache });
  for (const { tool, neededFor, install } of await adapter.missingTools())
    process.stdout.write(`${tool} is missing (${neededFor}): ${install}\n`);
  const tasks = readTasks(join(data, file)).slice(from, to + 1);
  const results = [];
  const began = performance.now();
  for (const task of tasks) {
    const result = await runTask(adapter, sandbox, task);
    results.push(result);
    for (const text of [...result.exceptions, ...result.notes.map((note) => `(${note})`)])
      process.stdout.write(`${task.task_id}: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}\n`);
  }
  const count = (has) => results.filter(has).length;
  rows.push({
    language,
    tasks: results.length,
    "correct body compiles": count(({ compiles }) => compiles),
    "and passes": count(({ passes }) => passes),
    ...Object.fromEntries(
      Object.entries(REJECTIONS).map(([by, title]) => [title, count(({ rejectedBy }) => (rejectedBy ?? "nothing") === by)]),
    ),
    "discarded without a trace": count(({ isDiscarded }) => isDiscarded),
    "as expected": count(({ exceptions }) => exceptions.length === 0),
    seconds: Math.round((performance.now() - began) / 1000),
  });
  rmSync(cache, { recursive: true, force: true });
}
const names = Object.keys(rows[0] ?? {});
const line = (cells) => `| ${cells.join(" | ")} |\n`;
process.stdout.write(`\n${line(names)}${line(names.map(() => "---"))}${rows.map((row) => line(names.map((name) => row[name]))).join("")}`);
process.exit(rows.every((row) => row["as expected"] === row.tasks) ? 0 : 1);

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
