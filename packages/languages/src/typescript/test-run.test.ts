import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import type { ModuleFiles } from "../language.ts";
import { runTests } from "./test-run.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
});

const CODE = `import { half } from "#MM-half";\nexport function twice(n: number): number { if (n < 0) throw new RangeError("negative"); return half(n) * 4; }`;
const HEAD = `import { test, describe, before } from "node:test";\nimport assert from "node:assert/strict";\nimport { twice } from "../implementation/index.ts";\n`;
const HALF = { "MM-half": { "implementation/index.ts": "export const half = (n: number): number => n / 2;" } };

const run = (tests: ModuleFiles, more: Partial<Parameters<typeof runTests>[1]> = {}) =>
  runTests({ files: { "implementation/index.ts": CODE, ...tests }, dependencies: HALF }, { sandbox, ...more });
const body = (text: string) => ({ "tests/twice.test.ts": `${HEAD}${text}` });
const results = ({ tests }: Awaited<ReturnType<typeof run>>) => Object.fromEntries(tests.map(({ name, result }) => [name, result]));

describe("the tests of a module", () => {
  test("are run with dependencies, suites and all files; each has a unique name", async () => {
    const ran = await run({
      ...body(
        `describe("twice", () => { test("doubles", () => assert.equal(twice(2), 4)); test("doubles", () => assert.equal(twice(2), 5)); });\ntest.skip("later", () => {});\ntest.todo("some day");`,
      ),
      "tests/deep/other.test.ts": HEAD.replace("../", "../../") + `test("doubles", async () => assert.equal(twice(0), 0));`,
      "tests/nothing.test.ts": "export {};",
      "tests/helper.ts": "throw new Error('not a test');",
    });
    expect(results(ran)).toEqual({ "twice > doubles": "PASS", "twice > doubles (2)": "FAIL", doubles: "PASS" });
    expect(ran.skipped.toSorted()).toEqual(["later", "some day"]);
    expect(ran.broken).toBeNull();
    expect(ran.tests.every(({ duration_ms }) => duration_ms >= 0)).toBe(true);
  });

  test("the cause of a failure is reported: a check, the code, or the test itself", async () => {
    const ran = await run(
      body(
        `test("a", () => assert.equal(twice(1), 3));\ntest("b", () => twice(-1));\ntest("c", () => { (undefined as unknown as { x(): void }).x(); });\ntest("d", () => { throw "words"; });`,
      ),
    );
    expect(ran.tests.map(({ name, error }) => [name, error?.name, error?.by])).toEqual([
      ["a", "AssertionError", "check"],
      ["b", "RangeError", "code"],
      ["c", "TypeError", "test"],
      ["d", "Error", "test"],
    ]);
    expect(ran.tests[1]?.error?.message).toBe("negative");
  });

  test("a file that cannot run counts as a failed test, and so do failed hooks", async () => {
    const broken = await run({ "tests/broken.test.ts": "import { missing } from '../implementation/index.ts'; void missing;" });
    expect(results(broken)).toEqual({ "tests/broken.test.ts": "FAIL" });
    const syntax = await run({ "tests/broken.test.ts": "const = ;" });
    expect(results(syntax)).toEqual({ "tests/broken.test.ts": "FAIL" });
    const hooks = await run(body(`describe("s", () => { before(() => { throw new Error("no"); }); test("t", () => {}); });`));
    expect(Object.values(results(hooks))).toContain("FAIL");
  });

  test("a module without test files has no tests", async () => {
    expect(await run({ "tests/readme.md": "soon" })).toEqual({ tests: [], skipped: [], broken: null });
    expect((await run({ "tests/a.test.ts": "console.log('looks good');" })).tests).toEqual([]);
  });

  test("the reason of a broken run is reported", async () => {
    const hung = await run(body(`test("t", async () => { for (;;) await 0; });`), { timeoutMs: 1_500 });
    expect(hung.broken).toBe("the tests did not end in time");
    const stopped = AbortSignal.abort(new Error("stop"));
    await expect(run(body(""), { signal: stopped })).rejects.toThrow("stop");
    await expect(run({ "tests/../../x.test.ts": "" })).rejects.toThrow();
  });

  test.each([
    ["a limit", { limit: "memory" }, "the tests used more than the sandbox allows: memory"],
    ["no program", { spawnError: { code: "ENOENT", message: "no node" } }, "the tests could not be started: no node"],
    ["a signal", { signal: "SIGSEGV" }, "the test runner ended with SIGSEGV"],
    ["an exit code without a failed test", { exitCode: 1 }, "the test runner ended with 1"],
  ])("also %s", async (_, how, expected) => {
    const ended = { exitCode: null, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 1, ...how };
    const scripted = { kind: "none", run: async () => ended } as unknown as Sandbox;
    expect((await run(body(""), { sandbox: scripted })).broken).toBe(expected);
  });
});
