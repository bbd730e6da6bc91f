import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { SourceTree, TestSelection } from "../adapter.ts";
import { runProjectTests } from "./project-tests.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
});

async function run(tree: SourceTree, more: Partial<TestSelection> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "slipway-project-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return runProjectTests(folder, { sandbox, timeoutMs: 60_000, ...more });
}

const results = ({ tests }: Awaited<ReturnType<typeof run>>) =>
  tests.map(({ name, result, error }) => [name, result, error?.message ?? null]);

const ACCOUNT = `
export class Account {
  #balance: number;
  readonly opened = new Date(0);
  readonly tags = new Map<string, Set<number>>();
  constructor(balance: number) { if (balance < 0) throw new RangeError("negative"); this.#balance = balance; }
  get balance(): number { return this.#balance; }
  deposit(amount: number): Account { return new Account(this.#balance + amount); }
  async later(amount: number): Promise<number> { await new Promise((done) => setTimeout(done, 5)); return this.#balance + amount; }
  each(visit: (balance: number) => number): number { return visit(this.#balance); }
}
export const open = (): Account => new Account(0);
`;
const HEAD = (runner: string) => `import { test } from "${runner}";
import assert from "node:assert/strict";
import fc from "fast-check";
import { Account } from "../../../src/domain/account.ts";
import { sumOf } from "../../../src/sum.ts";
`;
const SUM = `import type { Account } from "./domain/account.ts";\nexport function sumOf(accounts: readonly Account[]): number { return accounts.reduce((sum, one) => sum + one.balance, 0); }`;
const PROJECT = { "src/domain/account.ts": ACCOUNT, "src/sum.ts": SUM };

describe("tests of a project", () => {
  test("whose file turns every check off prove nothing", async () => {
    const idle =
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\nassert.equal = (() => undefined) as never;\ntest("adds", () => assert.equal(1, 2));\n';
    expect(await run({ "tests/unit/a.test.ts": idle })).toMatchObject({
      tests: [{ name: "adds", result: "PASS" }],
      broken: expect.stringContaining("prove nothing"),
    });
  });

  test("use its modules by path, with instances, private fields, collections, dates, functions and promises", async () => {
    const text = `${HEAD("node:test")}
test("instances", () => {
  const account = new Account(2).deposit(3);
  assert.equal(account.balance, 5);
  assert.ok(account instanceof Account);
  assert.equal(sumOf([account, account]), 10);
  assert.equal(account.opened.getTime(), 0);
  account.tags.set("a", new Set([1]));
  assert.deepEqual([...account.tags.get("a")!], [1]);
  assert.equal(account.each((balance) => balance * 2), 10);
});
test("promises", async () => assert.equal(await new Account(1).later(2), 3));
test("a property over instances", () => fc.assert(fc.property(fc.array(fc.nat(100).map((n) => new Account(n))), (accounts) => {
  assert.equal(sumOf(accounts), accounts.reduce((sum, { balance }) => sum + balance, 0));
})));
test("an asynchronous property", () => fc.assert(fc.asyncProperty(fc.nat(), async (n) => assert.equal(await Promise.resolve(new Account(n).balance), n))));
test("a wrong property", () => fc.assert(fc.property(fc.nat(), (n) => new Account(n).balance < 10)));
`;
    const ran = await run({ ...PROJECT, "tests/unit/domain/account.test.ts": text });
    expect(ran.broken).toBeNull();
    expect(results(ran)).toEqual([
      ["instances", "PASS", null],
      ["promises", "PASS", null],
      ["a property over instances", "PASS", null],
      ["an asynchronous property", "PASS", null],
      ["a wrong property", "FAIL", expect.stringContaining("Property failed")],
    ]);
  });

  test.each(["vitest", "@jest/globals"])("may be written for %s", async (runner) => {
    const fake = runner === "vitest" ? "vi" : "jest";
    const text = `${HEAD(runner)}import { expect, ${fake} } from "${runner}";
import { expired } from "../../../src/clock.ts";
test("throws", async () => {
  expect(() => new Account(-1)).toThrow();
  expect(() => new Account(-1)).toThrow("negative");
  expect(() => new Account(-1)).toThrow(RangeError);
  await expect(Promise.reject(new Error("no"))).rejects.toThrow(/no/);
  expect(new Account(1).balance).toBe(1);
  expect([new Account(1).balance]).toEqual([1]);
});
test("does not throw", () => expect(() => new Account(1)).toThrow());
test("does not reject", () => expect(Promise.resolve()).rejects.toThrow());
test("another message", () => expect(() => new Account(-1)).toThrow("positive"));
test("replaces the clock of the module", () => {
  ${fake}.useFakeTimers({ now: 1000 });
  try {
    let rang = 0;
    const seen = expired(() => rang++);
    assert.equal(seen, 1000);
    ${fake}.advanceTimersByTime(59_999);
    assert.equal(rang, 0);
    ${fake}.advanceTimersByTime(1);
    assert.equal(rang, 1);
    assert.equal(expired(() => undefined), 61_000);
  } finally { ${fake}.useRealTimers(); }
  assert.ok(expired(() => undefined) > 1e12);
});`;
    const clock = `export function expired(ring: () => void): number { setTimeout(ring, 60_000).unref?.(); return Date.now(); }`;
    const ran = await run({ ...PROJECT, "src/clock.ts": clock, "tests/unit/domain/account.test.ts": text });
    expect(results(ran)).toEqual([
      ["throws", "PASS", null],
      ["does not throw", "FAIL", "expected an error, got none"],
      ["does not reject", "FAIL", "expected an error, got none"],
      ["another message", "FAIL", "expected an error with positive, got negative"],
      ["replaces the clock of the module", "PASS", null],
    ]);
    expect(ran.broken).toBeNull();
  });

  test("are selected by file; an unknown file breaks the run", async () => {
    const tree = {
      "tests/a.test.ts": `import { test } from "node:test"; test("a", () => {});`,
      "tests/b.test.ts": `import { test } from "node:test"; test("b", () => {});`,
    };
    expect(results(await run(tree, { files: ["tests/b.test.ts"] }))).toEqual([["b", "PASS", null]]);
    expect((await run(tree)).tests).toHaveLength(2);
    expect((await run(tree, { files: ["tests/c.test.ts"] })).broken).toBe("tests/c.test.ts is no test file of the project");
    expect((await run(tree, { files: ["../a.test.ts"] })).broken).toContain("no test file");
    expect(await run({ "src/a.ts": "" })).toEqual({ tests: [], skipped: [], broken: null });
  });

  test("a property of many runs with many objects ends", async () => {
    const text = `${HEAD("node:test")}
test("many", () => fc.assert(fc.property(fc.array(fc.record({ a: fc.nat(), b: fc.string() }), { minLength: 20, maxLength: 40 }), (items) => {
  assert.equal(sumOf(items.map(({ a }) => ({ balance: a })) as never), items.reduce((sum, { a }) => sum + a, 0));
}), { numRuns: 1000 }));`;
    expect(results(await run({ ...PROJECT, "tests/unit/domain/account.test.ts": text }))).toEqual([["many", "PASS", null]]);
  });
});

test("code with enums and parameter properties runs", async () => {
  const code = `export enum Color { red = "r", green = "g" }\nexport class Box { constructor(readonly color: Color) {} }`;
  const text = `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { Box, Color } from "../src/box.ts";\ntest("box", () => assert.equal(new Box(Color.green).color, "g"));`;
  expect(results(await run({ "src/box.ts": code, "tests/box.test.ts": text }))).toEqual([["box", "PASS", null]]);
});

describe("a wrong body does not pass, whatever it does", () => {
  const TEST = `import { test } from "vitest";
import assert from "node:assert/strict";
import fc from "fast-check";
import { half } from "../../src/half.ts";
test("half", () => fc.assert(fc.property(fc.nat(), (n) => assert.equal(half(n * 2), n))));
`;
  const wrong = (body: string, before = "") => `${before}\nexport function half(n: number): number { ${body}; return n; }\n`;
  const G = "globalThis as any";
  test.each<[string, string, number?]>([
    ["a plain wrong result", wrong("")],
    ["process.exit(0)", wrong("process.exit(0)")],
    ["process.exit(0) while loading", wrong("", "process.exit(0);")],
    ["an endless loop", wrong("for (;;);"), 3_000],
    ["an endless loop while loading", wrong("", "for (;;);"), 3_000],
    ["an endless wait while loading", wrong("", "await new Promise((done) => setTimeout(done, 1e9));"), 3_000],
    ["memory without end", wrong("const all: unknown[] = []; for (;;) all.push(new Array(1e6).fill(n))")],
    ["buffers without end", wrong("const all: unknown[] = []; for (;;) all.push(Buffer.alloc(1 << 26, 1))")],
    ["recursion without end", wrong("return half(n)")],
    [
      "globals replaced",
      wrong(
        "",
        `(${G}).Object.is = () => true; (${G}).JSON.stringify = () => "{}"; (${G}).Number = () => 0; (${G}).process.exit = () => {};`,
      ),
    ],
    [
      "polluted prototypes",
      wrong(
        "",
        `(Object.prototype as any).failed = false; (Array.prototype as any).every = () => true; (Object.prototype as any).then = undefined;`,
      ),
    ],
    [
      "a result that changes when it is looked at",
      wrong(`let at = 0; return { valueOf: () => n / 2, [Symbol.toPrimitive]: () => n / 2 } as never`),
    ],
    ["a Proxy as result", wrong(`return new Proxy({}, { get: () => n / 2 }) as never`)],
    [
      "a forged result line",
      wrong(
        `process.stdout.write(JSON.stringify({ test: ["half"], suite: false, ran: true, passed: true, duration_ms: 1, error: null }) + "\\n")`,
      ),
    ],
    ["an unhandled rejection", wrong(`void Promise.reject(new Error("late"))`)],
    ["timers that never end", wrong("setInterval(() => undefined, 1)"), 3_000],
  ])("%s", async (_, code, timeoutMs = 60_000) => {
    const { tests, broken } = await run({ "src/half.ts": code, "tests/unit/half.test.ts": TEST }, { timeoutMs });
    expect(broken !== null || tests.some(({ result }) => result === "FAIL"), JSON.stringify({ tests, broken })).toBe(true);
    expect(tests.filter(({ result }) => result === "PASS")).toEqual([]);
  });

  test("it finds neither a test nor a program of the harness that it can start", async () => {
    const code = `export function half(n: number): number {
  const get = (process as any).getBuiltinModule;
  for (const attempt of [() => get("fs").readFileSync("../tests/tests/unit/half.test.ts"), () => get("child_process").spawnSync("true").error ?? get("fs").readFileSync("/etc/passwd"), () => get("fs").writeFileSync("src/half.ts", "")])
    try { const e = attempt(); if (!(e instanceof Error)) return n / 2; } catch {}
  return -1;
}`;
    const { tests } = await run({ "src/half.ts": code, "tests/unit/half.test.ts": TEST });
    expect(tests.map(({ result }) => result)).toEqual(["FAIL"]);
  });

  test("a test file that leaves before its declared tests have run breaks the run", async () => {
    const { broken } = await run({
      "src/half.ts": wrong("n /= 2"),
      "tests/unit/half.test.ts": `${TEST}if (half(2) === 2) test("never", () => {});`,
    });
    expect(broken).toContain('declares "never"');
  });
});
