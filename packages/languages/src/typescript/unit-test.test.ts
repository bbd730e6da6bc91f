import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import type { SourceTree } from "../adapter.ts";
import { parseContract } from "../micro-contracts/parse.ts";
import { testFiles } from "../property-tests/test-files.ts";
import { compileProblems, runTree } from "./testing/projects.ts";
import { TEST_RUNNERS, type TestRunnerName } from "./test-runners.ts";
import { unitTest, untestedClauses } from "./unit-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
});

const contract = (text: string) => {
  const read = parseContract(text, 1, null);
  expect(read.problems).toEqual([]);
  return read;
};

interface Example {
  readonly code: string;
  readonly contract: string;
  readonly name?: string;
  readonly runner?: TestRunnerName;
  readonly more?: SourceTree;
}

const PATH = "src/domain/subject.ts";

async function runExample({ code, contract: text, name = "subject", runner = "vitest", more = {} }: Example) {
  const tree = { ...more, [PATH]: code };
  const made = unitTest(tree, PATH, name, contract(text), { runner });
  if (made === null) throw new Error("no test was made");
  expect(compileProblems({ ...tree, ...testFiles([made]) })).toEqual([]);
  const ran = await runTree(sandbox, { ...tree, ...testFiles([made]) });
  return {
    made,
    ran,
    results: Object.fromEntries(ran.tests.map((one) => [one.name, one.error?.message ?? one.result])),
    skipped: ran.skipped,
  };
}

const HALF = "export function subject(n: number): number";

describe("[CRI-060] tests of a function from its contract", () => {
  test("need no body: they are made for a hole, and fail on it", async () => {
    const { made, results } = await runExample({
      code: `${HALF} { throw new Error("not written yet"); }`,
      contract: "REQUIRES: n >= 0\nENSURES: result * 2 === n",
    });
    expect(made.path).toBe("tests/unit/domain/subject/subject.test.ts");
    expect(made.tests).toEqual(["subject REQUIRES: n >= 0", "subject ENSURES: result * 2 === n"]);
    expect(results["subject ENSURES: result * 2 === n"]).toMatch(/^expected result \* 2 === n, got Error: not written yet with n = /);
  });

  test("have inputs within preconditions about patterns and members", async () => {
    const { results, skipped } = await runExample({
      code: `export interface Part { readonly family: string; readonly at: { readonly serial: number } }
export function subject(part: Part): string {
  if (!/^[A-Z]{3}$/.test(part.family) || part.at.serial < 100000 || part.at.serial > 100009) throw new RangeError("wrong part");
  return part.family + part.at.serial;
}`,
      contract:
        "REQUIRES: /^[A-Z]{3}$/.test(part.family)\nREQUIRES: part.at.serial >= 100000 && part.at.serial <= 100009\nENSURES: result.length >= 9",
    });
    expect(Object.values(results)).toEqual(["PASS", "PASS", "PASS"]);
    expect(skipped).toEqual([]);
  });

  test("have equal inputs sometimes, and skip a clause that no input reaches", async () => {
    const { results, skipped } = await runExample({
      code: "export function subject(left: string, right: string): number { return left === right ? 0 : left < right ? -1 : 1; }",
      contract: "ENSURES: left === right implies result === 0\nENSURES: left.length + right.length > 900 implies result < 0",
    });
    expect(results).toEqual({ "subject ENSURES: left === right implies result === 0": "PASS" });
    expect(skipped).toEqual(["subject ENSURES: left.length + right.length > 900 implies result < 0"]);
  });

  test("have the result where it is spread", async () => {
    const { results } = await runExample({
      code: "export function subject(names: readonly string[]): Set<string> { return new Set(names); }",
      contract: "ENSURES: [...result].every((name) => names.includes(name))",
    });
    expect(Object.values(results)).toEqual(["PASS"]);
  });

  test.each<TestRunnerName>(["node", "vitest", "jest"])("pass a right body and fail a wrong one, written for %s", async (runner) => {
    const text = "REQUIRES: n >= 0\nENSURES: result * 2 === n\nENSURES: result <= n\nPURITY: pure";
    const right = await runExample({
      runner,
      contract: text,
      code: `${HALF} { if (!(n >= 0)) throw new RangeError("negative"); return n / 2; }`,
    });
    expect(right.results).toEqual({
      "subject REQUIRES: n >= 0": "PASS",
      "subject ENSURES: result * 2 === n": "PASS",
      "subject ENSURES: result <= n": "PASS",
    });
    expect(right.made.text).toContain(TEST_RUNNERS[runner].imports({ clock: false, expect: false }));
    const wrong = await runExample({ runner, contract: text, code: `${HALF} { return n; }` });
    expect(wrong.results).toEqual({
      "subject REQUIRES: n >= 0": expect.stringMatching(/^expected an error because n >= 0 does not hold, got -\d/),
      "subject ENSURES: result * 2 === n": expect.stringMatching(
        /^expected result \* 2 === n, got result \* 2 = \S+ and n = \S+ with n = \S+$/,
      ),
      "subject ENSURES: result <= n": "PASS",
    });
  });

  test("[CRI-123] name what was expected, what came and the smallest counterexample in one line", async () => {
    const { results } = await runExample({
      code: `export function subject(items: readonly number[]): number { return items.length > 2 ? -1 : items.length; }`,
      contract: "ENSURES: result === items.length",
    });
    expect(results).toEqual({
      "subject ENSURES: result === items.length":
        "expected result === items.length, got result = -1 and items.length = 3 with items = [0,0,0]",
    });
  });

  test("are the same every time", () => {
    const tree = { [PATH]: `${HALF} { return n; }` };
    const text = contract("ENSURES: result === n");
    expect(unitTest(tree, PATH, "subject", text)).toEqual(unitTest(tree, PATH, "subject", text));
    expect(unitTest(tree, PATH, "subject", text)?.text).toContain("numRuns: 100");
  });

  test("compare with old values, taken before the call", async () => {
    const text =
      "ENSURES: items.length === old(items.length) + 1\nENSURES: old(items).every((one) => items.includes(one))\nENSURES: items.at(-1) === item";
    const right = await runExample({
      contract: text,
      code: "export function subject(items: number[], item: number): void { items.push(item); }",
    });
    expect(Object.values(right.results)).toEqual(["PASS", "PASS", "PASS"]);
    const wrong = await runExample({
      contract: text,
      code: "export function subject(items: number[], item: number): void { items[0] = item; items.length = 1; }",
    });
    expect(Object.values(wrong.results).map((one) => one.slice(0, 8))).toEqual(["expected", "expected", "PASS"]);
  });

  test("check implications, and skip those whose premise is never reached", async () => {
    const find = "export function subject(items: readonly number[], item: number): number | null";
    const text = "ENSURES: result !== null implies items[result] === item\nENSURES: result === null implies !items.includes(item)";
    const wrong = await runExample({ contract: text, code: `${find} { return items.length === 0 ? null : 0; }` });
    expect(wrong.results["subject ENSURES: result !== null implies items[result] === item"]).toMatch(/^expected .* got items\[result\] = /);
    const never = await runExample({ contract: text, code: `${find} { return null; }` });
    expect(never.skipped).toEqual(["subject ENSURES: result !== null implies items[result] === item"]);
  });

  test("fail if too few inputs satisfy the preconditions, because they would prove nothing", async () => {
    const { results } = await runExample({
      code: "export function subject(a: string, b: string): string { return a; }",
      contract: "REQUIRES: a.length > 3 && a === b\nENSURES: result === b",
    });
    expect(results["subject ENSURES: result === b"]).toBe(
      "expected at least 10 of 1000 generated inputs to satisfy the preconditions, got 0",
    );
  });

  test("check invariants of the arguments after the call", async () => {
    const text = "INVARIANT: account.balance >= 0";
    const signature = "export interface Account { balance: number }\nexport function subject(account: Account, amount: number): void";
    const right = await runExample({ contract: text, code: `${signature} { account.balance = Math.max(0, account.balance - amount); }` });
    expect(Object.values(right.results)).toEqual(["PASS"]);
    const wrong = await runExample({ contract: text, code: `${signature} { account.balance -= amount; }` });
    expect(Object.values(wrong.results)[0]).toMatch(
      /^expected account.balance >= 0, got account\.balance = -.* with account = {"balance":/,
    );
  });

  test("await the result of an asynchronous function, and its failure", async () => {
    const text = "REQUIRES: n > 0\nENSURES: result === n + 1";
    const right = await runExample({
      contract: text,
      code: `export async function subject(n: number): Promise<number> { await null; if (n <= 0) throw new Error("no"); return n + 1; }`,
    });
    expect(Object.values(right.results)).toEqual(["PASS", "PASS"]);
    const wrong = await runExample({ contract: text, code: `export async function subject(n: number): Promise<number> { return n; }` });
    expect(Object.values(wrong.results).every((one) => one.startsWith("expected"))).toBe(true);
  });

  const ACCOUNT = (deposit: string) => `
export class Account {
  #balance: number;
  constructor(balance: number) { if (balance < 0) throw new RangeError("negative"); this.#balance = balance; }
  get balance(): number { return this.#balance; }
  deposit(amount: number): void { ${deposit} }
  static total(accounts: readonly Account[], ...others: Account[]): number { return [...accounts, ...others].reduce((sum, one) => sum + one.balance, 0); }
}`;

  test("of a method use a receiver from its constructor", async () => {
    const text = "REQUIRES: amount > 0\nENSURES: this.balance === old(this.balance) + amount\nINVARIANT: self.balance >= 0";
    const right = await runExample({
      name: "Account.deposit",
      contract: text,
      code: ACCOUNT(`if (!(amount > 0)) throw new RangeError("not positive"); this.#balance += amount;`),
    });
    expect(right.made.path).toBe("tests/unit/domain/subject/Account.deposit.test.ts");
    expect(Object.values(right.results)).toEqual(["PASS", "PASS", "PASS"]);
    const wrong = await runExample({ name: "Account.deposit", contract: text, code: ACCOUNT("this.#balance -= Math.abs(amount);") });
    expect(Object.values(wrong.results)).toEqual([
      "expected an error because amount > 0 does not hold, got undefined with self = new Account(0), amount = 0",
      "expected this.balance === old(this.balance) + amount, got this.balance = -0.25 and old(this.balance) + amount = 0.25 with self = new Account(0), amount = 0.25",
      "expected self.balance >= 0, got self.balance = -1 with self = new Account(0), amount = 1",
    ]);
  });

  test("of a constructor, a getter and a static method", async () => {
    const code = ACCOUNT("this.#balance += amount;");
    const made = await runExample({
      name: "Account.constructor",
      contract: "REQUIRES: balance >= 0\nENSURES: this.balance === balance",
      code,
    });
    expect(Object.values(made.results)).toEqual(["PASS", "PASS"]);
    const getter = await runExample({ name: "Account.balance", contract: "ENSURES: result >= 0", code });
    expect(Object.values(getter.results)).toEqual(["PASS"]);
    const total = await runExample({
      name: "Account.total",
      contract: "ENSURES: result >= 0\nENSURES: accounts.length + others.length > 0 || result === 0",
      code,
    });
    expect(Object.values(total.results)).toEqual(["PASS", "PASS"]);
  });

  test("of a class whose constructor refuses everything fail, with the reason", async () => {
    const { results } = await runExample({
      name: "Account.deposit",
      contract: "ENSURES: this.balance > 0",
      code: ACCOUNT("").replace("balance < 0", "balance === balance"),
    });
    expect(Object.values(results)[0]).toContain(
      "expected at least 10 of 1000 generated inputs to satisfy the preconditions, got 0, and the last refusal was RangeError: negative",
    );
  });

  test("may use exported functions of the same module, and a parameter of any name", async () => {
    const { results } = await runExample({
      code: `export const isEven = (n: number): boolean => n % 2 === 0;\nexport function subject(test: number, fc: number, assert: number): number { return (Math.trunc(test) + Math.trunc(fc) + Math.trunc(assert)) * 2; }`,
      contract: "ENSURES: isEven(result)\nENSURES: isEven(result)",
    });
    expect(results).toEqual({ "subject ENSURES: isEven(result)": "PASS", "subject ENSURES: isEven(result) (2)": "PASS" });
  });
});

describe("clauses without a test are listed with the reason", () => {
  const tree = {
    [PATH]: `export function subject(items: readonly number[], wait: WeakMap<object, number> | null = null): number { return 1; }\nfunction hidden(n: number) { return n; }\nexport class Box { private open(n: number): number { return n; } set size(n: number) {} }`,
  };
  const reasons = (text: string, name = "subject", files: SourceTree = tree) =>
    untestedClauses(files, PATH, name, contract(text)).map(({ subject, reason }) => `${subject}: ${reason}`);

  test.each([
    ["ENSURES: the list is sorted", "it is no expression of the language"],
    ["ENSURES: sorted", "sorted is neither a parameter nor an exported name"],
    ["ENSURES: hidden(result) > 0", "hidden is neither a parameter nor an exported name"],
    ["ENSURES: result = 1", "it changes or waits for something"],
    ["ENSURES: items.push(1), true", "it is no expression of the language"],
    ["ENSURES: true) || (true", "it is no expression of the language"],
    ["ENSURES: process.exit(0)", "process is neither"],
    ["ENSURES: items.constructor", "it uses constructor"],
    ["ENSURES: globalThis.x", "globalThis is neither"],
    ["ENSURES: (() => { throw 1 })() || true", "it has statements"],
    ["ENSURES: delete items[0]", "it changes"],
    ["ENSURES: ((one = process) => one.exit(0))()", "process is neither"],
    ["ENSURES: ((process) => process)(1) === 1 || process.exit(0)", "process is neither"],
    ["ENSURES: (class { static x = 1 }).x", "it has statements"],
    ["REQUIRES: result > 0", "a precondition cannot use result"],
    ["ENSURES: items is frozen (witnessed by Frozen type)", "the compiler checks it through Frozen"],
    ["ENSURES: this.size > 0", "this is neither"],
  ])("%s", (text, reason) => {
    const code = { [PATH]: (tree[PATH] ?? "").replace("WeakMap<object, number> | null = null", "string = 'a'") };
    expect(reasons(text, "subject", code)).toEqual([expect.stringContaining(reason)]);
  });

  test("a type that cannot be generated", () => {
    expect(unitTest(tree, PATH, "subject", contract("ENSURES: result > 0"))).toBeNull();
    expect(reasons("ENSURES: result > 0")).toEqual(["ENSURES: result > 0: values of WeakMap<object, number> cannot be generated"]);
  });

  test("a function that a test cannot reach", () => {
    expect(reasons("ENSURES: result > 0", "hidden")).toEqual(["ENSURES: result > 0: hidden is not exported"]);
    expect(reasons("ENSURES: result > 0", "Box.open")).toEqual(["ENSURES: result > 0: Box.open is not public"]);
    expect(reasons("ENSURES: result > 0", "Box.size")).toEqual(["ENSURES: result > 0: Box.size is a setter"]);
    expect(reasons("ENSURES: result > 0", "missing")[0]).toContain("has no missing");
    expect(unitTest(tree, PATH, "hidden", contract("ENSURES: result > 0"))).toBeNull();
  });
});
