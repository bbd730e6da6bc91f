import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { expect, test } from "vitest";
import { greenFiles, withPlantedTests } from "./planted-tests.ts";
import { runTests } from "./test-run.ts";

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { twice } from "../implementation/index.ts";
test("doubles", () => assert.equal(twice(2), 4));
`;
const RIGHT = "export function twice(n: number): number { return n * 2; }\n";
/** Top-level code of a module that reports every test as passed and ends well. */
const FORGED = `const get = (name: string): any => (process as any)["getBuiltin" + "Module"](name);
const passed = JSON.stringify({ test: ["doubles"], suite: false, ran: true, passed: true, duration_ms: 1, error: null }) + "\\n";
for (let fd = 1; fd <= 30; fd++) { try { get("fs").writeSync(fd, passed); } catch {} }
for (const key of Object.keys(get("assert/strict"))) { try { get("assert/strict")[key] = () => undefined; } catch {} }
process.on("exit", () => { process.exitCode = 0; });
`;
/** A test file that no check can fail in. */
const IDLE = TESTS.replace('test("doubles"', 'assert.equal = (() => undefined) as never;\ntest("doubles"');

test("a planted test turns the run of a module red, whatever the module does, unless its test file turns every check off", async () => {
  const sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
  const greenIn = async (code: string, tests: string) => {
    const { sources, titles } = withPlantedTests(
      { files: { "implementation/index.ts": code, "tests/module.test.ts": tests } },
      (limit) => limit - 1,
    );
    expect(titles.size).toBe(1);
    return greenFiles(await runTests(sources, { sandbox, timeoutMs: 20_000 }), titles);
  };
  expect(await greenIn(RIGHT, TESTS)).toEqual([]);
  expect(await greenIn(RIGHT, IDLE)).toEqual(["tests/module.test.ts"]);
  // Forged results break the run, or change nothing; they never make the planted test pass.
  const forged = withPlantedTests(
    { files: { "implementation/index.ts": FORGED + RIGHT, "tests/module.test.ts": TESTS } },
    (limit) => limit - 1,
  );
  const run = await runTests(forged.sources, { sandbox, timeoutMs: 20_000 });
  expect(run.tests.find(({ name }) => name === forged.titles.get("tests/module.test.ts"))?.result ?? "FAIL").toBe("FAIL");
});
