import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { letters, patchOf, type Project } from "slipway/testing/project";
import { expect, test } from "vitest";
import { belongings, processesWith, run, slipway } from "./place.ts";

/** Each gate is one shell command. `attempts` more patches are recorded, so that the gate ends the building. */
function gated(script: string, more = ""): Project {
  const step = JSON.stringify({ name: "check", cmd: ["sh", "-c", script] }).replace(/}$/, `${more}}`);
  const project = letters({ "slipway/gates.yaml": `version: 1\nprofiles: { default: { modes: { fast: [${step}], full: [${step}] } } }\n` });
  project.record("builder", "2", patchOf("src/a.txt", "two", "three"));
  return project;
}

/** On the base such a gate would be asked about before building. */
const SKIP = "--skip-base-gates";

/** A number that no other process has in its command line. */
const marker = () => String(1_000_000 + Math.floor(Math.random() * 1e9));

/** Blocked, with the code in the question, and an answer that gives up or retries. */
async function expectBlocked(project: Project, code: string): Promise<string> {
  const inbox = (await slipway(project, ["inbox"])).stdout;
  expect(inbox).toContain(`The last one ended with ${code}: Step "check" of the fast gate`);
  expect(inbox).toContain("→ slipway answer Q1 retry");
  expect((await slipway(project, ["status"])).stdout).toMatch(/^letters +blocked/m);
  return inbox;
}

test("a missing gate command: the error names step, program and configuration file", async () => {
  const project = letters({
    "slipway/gates.yaml":
      "version: 1\nprofiles: { default: { modes: { fast: [{ name: check, cmd: [no-such-program] }], full: [{ name: check, cmd: [no-such-program] }] } } }\n",
  });
  const before = belongings(project.root);
  const { code, stdout } = await run(project, SKIP);
  expect(code).toBe(23);
  expect(stdout).toMatch(
    /fast gates failed: Step "check" of the fast gate cannot start "no-such-program": .* Next: Install "no-such-program", or correct cmd of step "check" .* slipway\/gates\.yaml/,
  );
  await expectBlocked(project, "gate_command_missing");
  expect(belongings(project.root)).toEqual(before);
  expect(project.sql("SELECT count(*) AS n FROM telemetry WHERE role = 'builder'")).toEqual([{ n: 1 }]);
});

test("a gate that never ends is killed with all its processes", async () => {
  const time = marker();
  const project = gated(`sleep ${time} & (setsid sleep ${time} &) ; sleep ${time}`, ', "timeout_seconds": 1');
  const before = belongings(project.root);
  const { code, stdout } = await run(project, SKIP);
  expect(code).toBe(23);
  expect(stdout).toContain('fast gates failed: Step "check" of the fast gate was stopped after 1 seconds.');
  await expectBlocked(project, "gate_timeout");
  expect(processesWith(`sleep ${time}`)).toEqual([]);
  expect(belongings(project.root)).toEqual(before);
});

test("a gate that leaves daemons behind passes, and they are dead", async () => {
  const time = marker();
  const project = gated(`for i in 1 2 3 4 5; do setsid nohup sleep ${time} >/dev/null 2>&1 & done; exit 0`);
  const { code, stdout } = await run(project, SKIP);
  expect(code).toBe(23);
  expect(stdout).toContain("slipway approve letters");
  expect(processesWith(`sleep ${time}`)).toEqual([]);
});

test("a gate that forks endlessly is stopped, and nothing of it remains", async () => {
  const time = marker();
  const project = gated(`while :; do sleep ${time} & done 2>/dev/null`, ', "timeout_seconds": 2');
  const { code, stdout } = await run(project, SKIP);
  expect(code).toBe(23);
  expect(stdout).toMatch(/fast gates failed: Step "check" of the fast gate (was stopped|failed)/);
  expect(processesWith(`sleep ${time}`)).toEqual([]);
});

test("a gate that floods its output is bounded, in the log and in the database", async () => {
  const project = gated("yes flood-flood-flood-flood", ', "timeout_seconds": 1');
  const { code, stdout } = await run(project, SKIP);
  expect(code).toBe(23);
  expect(stdout.length).toBeLessThan(20_000);
  expect(stdout).toMatch(/fast gates failed: Step "check" of the fast gate was stopped/);
  expect(sizeOf(join(project.root, ".slipway")) + sizeOf(join(project.root, ".git", "slipway"))).toBeLessThan(32 * 1024 * 1024);
});

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(folder, name)));
  return files.filter((found) => found.isFile()).reduce((sum, { size }) => sum + size, 0);
}
