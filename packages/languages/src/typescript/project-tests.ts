import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { makeTemporaryFolder } from "@slipway/kernel/host/files/temporary-folder";
import type { SharedPath } from "@slipway/kernel/host/sandbox/contract";
import type { SourceTree, TestSelection } from "../adapter.ts";
import { readCoverage } from "./line-coverage/read-coverage.ts";
import { isTestFile } from "./layout.ts";
import { modulePrograms, runPair, testPrograms } from "./paired-run.ts";
import { projectTestNames } from "./project-test-names.ts";
import { fileRun } from "./test-results.ts";
import { joinRuns, putAll, type TestRun } from "./test-run.ts";
import { usesMeasuring } from "./test-support.ts";
import { withoutPlanted } from "../toolchains/planted-tests.ts";
import { plantTypescript } from "./planted-tests.ts";
import { randomInt } from "node:crypto";

const TIMEOUT_MS = 120_000;
const LIMITS = { memoryBytes: 2 * 1024 ** 3, processes: 64 };
const SOURCE_FILE = /\.(?:ts|mts|cts|js|mjs|cjs|json)$/;
const NOT_SOURCES = new Set(["node_modules", "dist", "coverage"]);

/**
 * Runs test files of a project. As for a module, its tests and its code are in two folders, two processes and two sandboxes: code under
 * test can neither read a test nor write a result. Tests get fast-check; the code gets nothing but the project's own files.
 */
export async function runProjectTests(
  sourcePath: string,
  { sandbox, timeoutMs = TIMEOUT_MS, signal, files, coverage = false }: TestSelection,
): Promise<TestRun> {
  const tree = await readProject(sourcePath);
  const tests = files ?? Object.keys(tree).filter(isTestFile).toSorted();
  const missing = tests.find((file) => !isTestFile(file) || tree[file] === undefined);
  if (missing !== undefined) return { tests: [], skipped: [], broken: `${missing} is no test file of the project` };
  if (tests.length === 0) return { tests: [], skipped: [], broken: null };
  const folder = await makeTemporaryFolder("project");
  const [module, beside] = [join(folder, "module"), join(folder, "tests")];
  try {
    await putAll(module, { "package.json": MANIFEST, ...filesOf(tree, (path) => !path.startsWith("tests/")), ...(await modulePrograms()) });
    await putAll(beside, { ...filesOf(tree, (path) => path.startsWith("tests/")), ...(await testPrograms()), "package.json": MANIFEST });
    const deadline = performance.now() + timeoutMs;
    const runFile = async (file: string): Promise<TestRun> => {
      const { title, text } = plantTypescript(tree[file] ?? "", (limit) => randomInt(limit));
      await putAll(beside, { [file]: text });
      const measures = usesMeasuring(tree[file] ?? "");
      // Counting would change the times.
      const records = coverage && !measures ? await makeRecords(module) : null;
      const outcome = await runPair({
        sandbox,
        layout: "project",
        limits: LIMITS,
        measures,
        tests: { folder: beside, file, shared: testPackages() },
        module: { folder: module, ...(records === null ? {} : { records: relative(module, records) }) },
        timeoutMs: Math.max(1, deadline - performance.now()),
        ...(signal === undefined ? {} : { signal }),
      });
      signal?.throwIfAborted();
      const declared = projectTestNames(file, tree[file] ?? "");
      const run = withoutPlanted(
        fileRun(file, [module, beside], outcome, declared.length === 0 ? [] : [...declared, { file, name: title }]),
        [title],
      );
      return records === null ? run : { ...run, coverage: await readCoverage(records, module, tree) };
    };
    const runs: TestRun[] = [];
    // Times are measured by one file at a time.
    const atOnce = coverage && !tests.some((file) => usesMeasuring(tree[file] ?? "")) ? COVERED_AT_ONCE : 1;
    for (let at = 0; at < tests.length; at += atOnce) runs.push(...(await Promise.all(tests.slice(at, at + atOnce).map(runFile))));
    return joinRuns(runs);
  } finally {
    await removeTree(folder);
  }
}

/** A whole program is run for its coverage, and most of the time of a file is that of starting two processes. */
const COVERED_AT_ONCE = 3;

async function makeRecords(module: string): Promise<string> {
  const folder = join(module, "slipway-coverage");
  await mkdir(folder, { recursive: true });
  return mkdtemp(join(folder, "file-"));
}

const MANIFEST = '{ "type": "module" }\n';

function filesOf(tree: SourceTree, matches: (path: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => matches(path) && !path.startsWith("slipway/")));
}

/** Links are not followed. */
async function readProject(sourcePath: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  const read = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(sourcePath, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith(".") && !NOT_SOURCES.has(entry.name)) await read(path);
      if (entry.isFile() && SOURCE_FILE.test(entry.name)) tree[path] = await readFile(join(sourcePath, path), "utf8");
    }
  };
  await read("");
  return tree;
}

/** The installed packages that generated tests import. */
function testPackages(): SharedPath[] {
  const fastCheck = createRequire(import.meta.url).resolve("fast-check/package.json");
  const pureRand = createRequire(fastCheck).resolve("pure-rand/package.json");
  return [
    { from: dirname(fastCheck), to: "node_modules/fast-check" },
    { from: dirname(pureRand), to: "node_modules/pure-rand" },
  ];
}
