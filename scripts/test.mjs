// `npm test`: set-up, static checks, then every package's tests through Nx; ends with one line of counts.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { root, setUp } from "./setup.mjs";
import { withFilesInMemory } from "./memory.mjs";
import { coverageLines } from "./coverage.mjs";
import { readReports } from "./reports.mjs";

const { node, missing } = setUp();
for (const line of missing) console.log(line);

rmSync(join(root, "reports", "tests"), { recursive: true, force: true });
mkdirSync(join(root, "reports", "tests"), { recursive: true });

const environment = {
  ...process.env,
  PATH: `${dirname(node)}:${process.env.PATH}`,
  NX_DAEMON: "false",
  NX_TUI: "false",
  NX_NO_CLOUD: "true",
  NX_INTERACTIVE: "false",
};
// Nx sets FORCE_COLOR, and Node writes a warning to the standard error of every child where both are set.
delete environment.NO_COLOR;
const bin = (name) => join(root, "node_modules", ".bin", name);
const memory = withFilesInMemory();
const nx = (...projects) => {
  const quiet = ["--outputStyle=stream-without-prefixes", "--skipNxCache"];
  return memory.wrap(bin("nx"), ["run-many", "-t", "test", ...projects, "--parallel=1", ...quiet]);
};
const HALF = "@slipway/kernel,@slipway/protocols";
// In parallel, because tests mostly wait for processes and for the disk. Each half of the packages in one worker, because loading them a
// second time costs more than it saves.
const lanes = [
  [
    ["lint", bin("oxlint"), ["--deny-warnings"]],
    ["format", bin("prettier"), ["--check", ".", "--cache", "--log-level", "warn"]],
    ["dead code", bin("knip"), []],
  ],
  [["tests of kernel and protocols", ...nx(`--projects=${HALF}`), { VITEST_MAX_WORKERS: "1" }]],
  [["tests of the other packages", ...nx(`--exclude=@slipway/test,${HALF}`), { VITEST_MAX_WORKERS: "1" }]],
  [["acceptance tests", ...nx("--projects=@slipway/test")]],
];

const failed = [];
const TROUBLE = /FAIL |Unhandled|Error:|FATAL|heap out of memory|does not meet|exited unexpectedly|Failed tasks|@slipway\/\w+:test/;

/** Prints what the process prints, and keeps the lines that tell why it failed: a process that dies leaves no report. */
function keepTroubles(child) {
  const kept = [];
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.pipe(to, { end: false });
    createInterface({ input: from }).on("line", (line) => {
      const plain = stripVTControlCharacters(line).trim();
      if (TROUBLE.test(plain)) kept.push(plain.slice(0, 300));
    });
  }
  return () => kept.slice(-30);
}

async function carryOut(stages) {
  for (const [name, command, args, more] of stages) {
    const started = Date.now();
    const env = { ...environment, ...more };
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env });
    const troubles = keepTroubles(child);
    const status = await new Promise((resolve) => child.on("error", () => resolve(null)).on("close", resolve));
    console.log(`${status === 0 ? "ok" : "FAILED"}: ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    if (status === 0) continue;
    failed.push(name);
    // Here as well as at the end: a truncated log may show only the lines around the first failure.
    for (const line of troubles()) console.log(`  ${line}`);
  }
}
await Promise.all(lanes.map(carryOut));
memory.remove();

for (const line of coverageLines()) console.log(line);
const { tests, skipped } = readReports();
for (const { title, reason } of skipped) console.log(`skipped: ${title} (${reason})`);
spawnSync(node, [join(root, "scripts", "conformance.mjs"), "--summary"], { cwd: root, stdio: "inherit" });
// Last, because a truncated log loses its beginning.
for (const { title, file, failures } of tests.filter(({ status }) => status === "failed")) {
  console.log(`FAILED: ${file}: ${title}`);
  for (const failure of failures) console.log(failure.slice(0, 2_000));
}
if (failed.length > 0) console.log(`failed stages: ${failed.join(", ")}`);
const count = (status) => tests.filter((test) => test.status === status).length;
console.log(`${count("passed")} passed, ${count("failed")} failed, ${skipped.length} skipped`);
process.exit(failed.length === 0 ? 0 : 1);
