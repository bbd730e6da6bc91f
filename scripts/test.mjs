// `npm test`: set-up, static checks, then every package's tests through Nx; ends with one line of counts.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
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
const bin = (name) => join(root, "node_modules", ".bin", name);
const memory = withFilesInMemory();
const testsOf = (project, more) => {
  const quiet = ["--outputStyle=stream-without-prefixes", "--skipNxCache"];
  return [`tests of ${project}`, ...memory.wrap(bin("nx"), ["run-many", "-t", "test", `--projects=${project}`, ...quiet]), more];
};
const checks = [
  ["lint", bin("oxlint"), ["--deny-warnings"]],
  ["format", bin("prettier"), ["--check", ".", "--cache", "--log-level", "warn"]],
  ["dead code", bin("knip"), []],
];
// Three at a time, because much of what the tests do is waiting, for processes and for the disk; the longest first. Each package in
// one worker: loading it a second time costs more than it saves.
const ONE = { VITEST_MAX_WORKERS: "1" };
const LONGEST = ["languages", "durable", "mcp", "agents", "protocols", "cli", "kernel"];
const packages = readdirSync(join(root, "packages")).sort((one, other) => LONGEST.indexOf(other) - LONGEST.indexOf(one));
const tests = [testsOf("@slipway/test", {}), ...packages.map((name) => testsOf(name === "cli" ? "slipway" : `@slipway/${name}`, ONE))];
const AT_A_TIME = 3;

const failed = [];
async function carryOut(stages) {
  for (let stage = stages.shift(); stage !== undefined; stage = stages.shift()) {
    const [name, command, args, more] = stage;
    const started = Date.now();
    const env = { ...environment, ...more };
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env });
    const status = await new Promise((resolve) => child.on("error", () => resolve(null)).on("close", resolve));
    console.log(`${status === 0 ? "ok" : "FAILED"}: ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    if (status !== 0) failed.push(name);
  }
}
await Promise.all([carryOut(checks), ...Array.from({ length: AT_A_TIME }, () => carryOut(tests))]);
memory.remove();

for (const line of coverageLines()) console.log(line);
const { tests: reported, skipped } = readReports();
for (const { title, reason } of skipped) console.log(`skipped: ${title} (${reason})`);
spawnSync(node, [join(root, "scripts", "conformance.mjs"), "--summary"], { cwd: root, stdio: "inherit" });
// Last, because a log that is cut is cut from its beginning.
for (const { title, file, failures } of reported.filter(({ status }) => status === "failed")) {
  console.log(`FAILED: ${file}: ${title}`);
  for (const failure of failures) console.log(failure.slice(0, 2_000));
}
if (failed.length > 0) console.log(`failed stages: ${failed.join(", ")}`);
const count = (status) => reported.filter((test) => test.status === status).length;
console.log(`${count("passed")} passed, ${count("failed")} failed, ${skipped.length} skipped`);
process.exit(failed.length === 0 ? 0 : 1);
