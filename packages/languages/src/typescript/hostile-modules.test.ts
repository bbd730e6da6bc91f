import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import { runTests } from "./test-run.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
});

const TEST = "writes a time of day";
const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime } from "../implementation/index.ts";
test("${TEST}", () => assert.equal(formatTime(570), "09:30"));
`;
const WRONG = `export function formatTime(_minutes: number): string { return "09--WRONG--30"; }\n`;
/** A result as the test process writes it, and as Node's runner reads it from a child. */
const FORGED = `
const forged = [
  JSON.stringify({ test: ["${TEST}"], suite: false, ran: true, passed: true, duration_ms: 1, error: null }),
  JSON.stringify({ counts: { tests: 1, suites: 0 }, error: null }),
  JSON.stringify({ loaded: true, error: null }),
].join("\\n") + "\\n";
const get = (name: string): any => { try { return (process as any)["getBuiltin" + "Module"](name); } catch { return undefined; } };
const fs = get("fs");
`;

const SIGNALS: [string, string] = [
  "signals to every process, inspectors included",
  `for (let pid = 1; pid < 50; pid++) if (pid !== process.pid) for (const signal of ["SIGUSR1", "SIGTERM"]) { try { process.kill(pid, signal); } catch {} }\n${WRONG}`,
];

const run = (code: string, tests = TESTS) =>
  runTests({ files: { "implementation/index.ts": code, "tests/module.test.ts": tests } }, { sandbox, timeoutMs: 20_000 });

describe("B3: a wrong module does not pass its tests, whatever it does", () => {
  test.each<[string, string]>([
    ["forged results on its own stdout, then exit 0", `${FORGED}fs.writeSync(1, forged); process.exit(0);\n${WRONG}`],
    [
      "forged results on every descriptor",
      `${FORGED}for (let fd = 0; fd <= 30; fd++) { try { fs.writeSync(fd, forged); } catch {} }\n${WRONG}`,
    ],
    [
      "forged results when it is called",
      `${FORGED}${WRONG.replace("{ return", "{ process.stdout.write(forged); fs.writeSync(1, forged); return")}`,
    ],
    ["process.reallyExit(0)", `${WRONG.replace("{ return", "{ (process as any).reallyExit(0); return")}`],
    ["an exit in a promise", `Promise.resolve().then(() => process.exit(0));\n${WRONG}`],
    [
      "checks, runner and built-ins patched",
      `${FORGED}for (const name of ["assert", "assert/strict", "test", "node:test"]) { const it = get(name); if (it !== undefined) for (const key of Object.keys(it)) { try { it[key] = () => undefined; } catch {} } }
Object.is = () => true; JSON.stringify = () => "[]"; (Array.prototype as any)[Symbol.iterator] = function* () {}; Object.prototype.toString = () => "[object String]"; String.prototype.valueOf = () => "09:30";
${WRONG}`,
    ],
    // Without a sandbox these would run as processes of this machine.
    ...(sandboxWorksHere() ? [SIGNALS] : []),
    ["a line that is no JSON", `${FORGED}fs.writeSync(1, "{ no JSON\\n");\n${WRONG}`],
    [
      "an endless line",
      `${FORGED}${WRONG.replace("{ return", '{ const a = "a".repeat(1 << 20); try { for (;;) fs.writeSync(1, a); } catch {} return')}`,
    ],
  ])("%s", async (_, code) => {
    const { tests, broken } = await run(code);
    expect(broken !== null || tests.some(({ result }) => result === "FAIL"), JSON.stringify({ tests, broken })).toBe(true);
    expect(tests.filter(({ result }) => result === "PASS")).toEqual([]);
  });

  test("it reaches no process, thread, file, native code or part of the tests", async () => {
    const code = `${FORGED}
const attempts: Record<string, () => unknown> = {
  "a child process": () => get("child_process").execFileSync("/bin/sh", ["-c", "echo"]),
  "a thread": () => new (get("worker_threads").Worker)("0", { eval: true }),
  "native code": () => (process as any).dlopen({ exports: {} }, "/usr/lib/x86_64-linux-gnu/libc.so.6"),
  "internal bindings": () => (process as any).binding("fs"),
  "an inspector": () => get("inspector").open(0),
  "the tests": () => fs.readFileSync("../tests/tests/module.test.ts", "utf8"),
  "the list of processes": () => fs.readdirSync("/proc"),
  "another process's descriptors": () => fs.readdirSync("/proc/1/fd"),
  "a file outside": () => fs.readFileSync("/etc/passwd"),
  "a new file": () => fs.writeFileSync("implementation/new.ts", ""),
  "a file in /tmp": () => fs.writeFileSync("/tmp/new", ""),
};
export function formatTime(): string[] {
  return Object.entries(attempts).flatMap(([name, attempt]) => { try { attempt(); return [name]; } catch { return []; } });
}
`;
    const { tests, broken } = await run(
      code,
      TESTS.replace('formatTime(570), "09:30"', 'formatTime().join(), ""').replace("formatTime().join", "(formatTime as any)().join"),
    );
    expect({ broken, tests: tests.map(({ result, error }) => [result, error?.message]) }).toEqual({
      broken: null,
      tests: [["PASS", undefined]],
    });
  });

  test("no text that it passes is compiled in the test process", async () => {
    const code = `export function formatTime(...given: unknown[]): number {
  const seen = new Set<unknown>();
  let calls = 0;
  const walk = (value: any): void => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
    seen.add(value);
    if (typeof value === "function") for (const attempt of [() => value("globalThis.forged = true")(), () => new value("globalThis.forged = true")()]) { try { calls++; walk(attempt()); } catch {} }
    walk(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) { try { walk(value[key]); } catch {} }
  };
  for (const one of given) walk(one);
  return calls;
}`;
    const tests = `import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime } from "../implementation/index.ts";
class Own { method() { return this; } get self() { return this; } }
test("nothing is forged", () => {
  const calls = (formatTime as any)(function* () { yield 1; }(), new Own(), Own, async () => 1, [new Map(), new Error("e"), /x/, new URL("https://example.org")]);
  assert.ok(calls > 10);
  assert.equal((globalThis as any).forged, undefined);
});
`;
    const { tests: ran, broken } = await run(code, tests);
    expect({ broken, ran: ran.map(({ result, error }) => [result, error?.message]) }).toEqual({ broken: null, ran: [["PASS", undefined]] });
  });

  test("one that hangs, dies or never finishes loading fails the tests that wait for it", async () => {
    const dies = await run(WRONG.replace("{ return", "{ process.abort(); return"));
    expect(dies.tests).toMatchObject([{ result: "FAIL", error: { name: "ModuleGone", by: "code" } }]);
    const loads = await run(`await new Promise(() => undefined);\n${WRONG}`);
    expect(loads.tests).toMatchObject([{ name: "tests/module.test.ts", result: "FAIL", error: { name: "ModuleGone" } }]);
    const hangs = await runTests(
      { files: { "implementation/index.ts": WRONG.replace("{ return", "{ for (;;); return"), "tests/a.test.ts": TESTS } },
      { sandbox, timeoutMs: 3_000 },
    );
    expect(hangs.broken).toBe("the tests did not end in time");
  });
});

describe("a test file that imitates the runner breaks its run", () => {
  test.each([
    [
      "lines that are not results",
      `${TESTS}import { writeSync } from "node:fs";\nwriteSync(1, "{ no JSON\\n");`,
      /wrote something that is no result: "\{ no JSON"/,
    ],
    ["an end before the tests", `${TESTS}process.exit(0);`, /ended before its tests did|ended with/],
    [
      "more results than its runner counts",
      `${TESTS}import { writeSync } from "node:fs";\nwriteSync(1, JSON.stringify({ test: ["more"], suite: false, ran: true, passed: true, duration_ms: 1, error: null }) + "\\n");`,
      /counts 1 tests and suites, and reported 2/,
    ],
  ])("%s", async (_, tests, expected) => {
    const good = `export function formatTime(_minutes: number): string { return "09:30"; }`;
    expect((await run(good, tests)).broken).toMatch(expected);
  });

  test("B3: results that differ from the declared tests", async () => {
    const good = `export function formatTime(_minutes: number): string { return "09:30"; }`;
    const files = { "implementation/index.ts": good, "tests/a.test.ts": `${TESTS}if (formatTime(0) === "") test("never", () => {});` };
    const declared = [TEST, "never"].map((name) => ({ file: "tests/a.test.ts", name }));
    expect((await runTests({ files }, { sandbox, declared })).broken).toBe('tests/a.test.ts declares "never", and it was not run');
  });
});
