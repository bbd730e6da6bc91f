import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { testFindings } from "@slipway/kernel/change/judge/test-integrity/test-rules";
import { beforeAll, describe, expect, test } from "vitest";
import type { GeneratedTest, SourceTree } from "../adapter.ts";
import { parseContract } from "../micro-contracts/parse.ts";
import { structuredClaimSchema, type ClaimType } from "../property-tests/claim.ts";
import { testFiles } from "../property-tests/test-files.ts";
import { testSandbox } from "../testing/tools-here.ts";
import { claimTest } from "./claim-test.ts";
import { claimProblem } from "./testing/claim-problem.ts";
import { complexityTest } from "./complexity-test.ts";
import { parseSource } from "./source/parse-source.ts";
import { compileProblems, runTree } from "./testing/projects.ts";
import { unitTest } from "./unit-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});

const ID = `declare const idBrand: unique symbol;
export type Id = string & { readonly [idBrand]: true };
export function id(value: string): Id { if (!(value.length > 0)) throw new RangeError("empty"); return value as Id; }
`;
const CENTS = `declare const centsBrand: unique symbol;
export type Cents = number & { readonly [centsBrand]: true };
export function cents(value: number): Cents { if (!Number.isInteger(value) || value < 0) throw new RangeError("no amount"); return value as Cents; }
`;
const BANK = `import { type Cents, cents } from "./witnesses/cents.ts";
import type { Id } from "./witnesses/id.ts";
export interface Account { readonly id: Id; readonly balance: Cents; readonly note?: string; readonly kind: "open" | "frozen" | null }
export interface Bank { readonly accounts: readonly Account[]; readonly owners: ReadonlyMap<string, Id> }
export type Moved = { readonly ok: true; readonly bank: Bank } | { readonly ok: false; readonly reason: string };
/**
 * ENSURES: result !== null implies result.id === id
 * ENSURES: bank.accounts.some((one) => one.id === id) implies result !== null
 */
export function find(bank: Bank, id: Id): Account | null { return bank.accounts.find((one) => one.id === id) ?? null; }
/**
 * REQUIRES: from !== to
 * ENSURES: result.ok implies result.bank.accounts.length === bank.accounts.length
 * ENSURES: result.ok || ["unknown", "poor"].includes(result.reason)
 */
export async function move(bank: Bank, from: Id, to: Id, amount: Cents): Promise<Moved> {
  if (from === to) throw new RangeError("the same account");
  const [source, target] = [find(bank, from), find(bank, to)];
  if (source === null || target === null) return { ok: false, reason: "unknown" };
  if (source.balance < amount) return { ok: false, reason: "poor" };
  const balance = (one: Account): number => one.balance + (one.id === to ? amount : one.id === from ? -amount : 0);
  return { ok: true, bank: { ...bank, accounts: bank.accounts.map((one) => ({ ...one, balance: cents(balance(one)) })) } };
}
/** ENSURES: result === bank.accounts.reduce((sum, one) => sum + one.balance, 0) */
export function total(bank: Bank): number { return bank.accounts.reduce((sum, one) => sum + one.balance, 0); }
/**
 * ENSURES: amount < 10000 implies result === 0
 * ENSURES: amount >= 10000 implies result === Math.floor(amount / 1000)
 */
export function fee(amount: Cents): Cents { return cents(amount < 10000 ? 0 : Math.floor(amount / 1000)); }
export class Stack<T> {
  #items: T[];
  constructor(items: readonly T[] = []) { this.#items = [...items]; }
  get size(): number { return this.#items.length; }
  /**
   * ENSURES: this.size === old(this.size) + 1
   * INVARIANT: this.size >= 0
   */
  push(item: T): void { this.#items.push(item); }
  /**
   * REQUIRES: this.size > 0
   * COMPLEXITY: O(1)
   */
  pop(): T | undefined { if (this.#items.length === 0) throw new RangeError("empty"); return this.#items.pop(); }
}
/**
 * ENSURES: words.length === 0 implies result === ""
 * ENSURES: /^[a-c]{2}[0-9]$/.test(words[0] ?? "") implies result.length > 0
 * COMPLEXITY: O(n) where n = words.length
 */
export function joined(words: readonly string[], ...more: string[]): string { return [...words, ...more].join("-"); }
`;
const TREE = { "src/bank.ts": BANK, "src/witnesses/id.ts": ID, "src/witnesses/cents.ts": CENTS };

const PART = {
  inputs: [{ name: "first", type: "Cents" }],
  setup: [
    {
      name: "bank",
      type: "Bank",
      value: `({ accounts: ["a", "b"].map((one) => ({ id: id(one), balance: first, kind: null })), owners: new Map() })`,
    },
    { name: "before", value: "total(bank)" },
  ],
  operations: [
    {
      call: "move(bank, id(from), id(to), amount)",
      when: "from !== to",
      inputs: [
        { name: "from", type: '"a" | "b" | "c"' },
        { name: "to", type: '"a" | "b"' },
        { name: "amount", type: "Cents" },
      ],
      update: { name: "bank", value: "result.ok ? result.bank : bank" },
    },
  ],
  assert: "total(bank) === before",
};
const claim = (type: ClaimType, part: object = PART) => ({
  ...structuredClaimSchema.parse({
    type,
    subject: "bank",
    predicate: "",
    scope: "",
    testable: true,
    requires_mocking: [],
    suggested_generators: [],
    test: part,
  }),
  id: "bank_001",
  text: "Nothing is lost.",
});

const CLAIMS = [
  claim("invariant"),
  claim("invariant", {
    ...PART,
    operations: [...PART.operations, { call: "find(bank, id('a'))" }],
    assert: "result === null || total(bank) === before",
  }),
  claim("behavioral", {
    ...PART,
    operations: [...PART.operations, ...PART.operations],
    assert: "results.length === 2 && total(bank) === before && typeof result.ok === 'boolean'",
  }),
  claim("negative", { ...PART, operations: [{ call: "move(bank, id('a'), id(same), first)", inputs: [{ name: "same", type: '"a"' }] }] }),
  claim("temporal", { ...PART, clock_steps_ms: [1, 1000], assert: "total(bank) === before && now >= 0" }),
  claim("concurrent", { ...PART, assert: "results.length > 0 && total(bank) >= 0" }),
  claim("performance", {
    setup: [{ name: "words", value: "Array.from({ length: n }, () => 'a')" }],
    operations: [{ call: "joined(words)" }],
    bound: "O(n)",
  }),
];

const functions = parseSource(BANK).functions.filter(({ doc }) => doc !== null);
const contractOf = (doc: string | null) => parseContract(doc ?? "", 1, null);
const generated = (tree: SourceTree): GeneratedTest[] => [
  ...functions.flatMap(({ name, doc }) => unitTest(tree, "src/bank.ts", name, contractOf(doc)) ?? []),
  ...functions
    .flatMap(({ name, doc }) => complexityTest(tree, "src/bank.ts", name, contractOf(doc)) ?? [])
    .filter(({ text }) => text !== ""),
];

const STRICT = { erasableSyntaxOnly: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noImplicitReturns: true };

describe("generated tests", () => {
  test.each(["node --test", "vitest"])("type-check with strict options, written for %s", (script) => {
    const tree = { ...TREE, "package.json": JSON.stringify({ scripts: { test: script } }) };
    const claims = CLAIMS.map((one, at) => claimTest(tree, { ...one, id: `bank_00${at}` }));
    expect(claims.flatMap(({ untested }) => untested)).toEqual([]);
    expect(compileProblems({ ...tree, ...testFiles([...generated(tree), ...claims]) }, STRICT)).toEqual([]);
  });

  test("assert in the body of each test, as the judge of changes reads it", () => {
    const files = Object.entries(
      testFiles([...generated(TREE), ...CLAIMS.map((one, at) => claimTest(TREE, { ...one, id: `bank_00${at}` }))]),
    );
    expect(files.filter(([path]) => path.endsWith(".test.ts")).length).toBe(generated(TREE).length + CLAIMS.length);
    const changed = files.map(([path, after]) => ({ path, status: "A" as const, before: null, after }));
    expect(testFindings(changed, { file: () => false, words: () => false })).toEqual([]);
  });

  test("share one file, so that each is a page long", () => {
    const tests = generated(TREE);
    expect(new Set(tests.flatMap(({ support = {} }) => Object.keys(support)))).toEqual(
      new Set(["tests/support/contract-tests.ts", "tests/support/scaling.ts"]),
    );
    const longest = Math.max(...tests.map(({ text }) => text.split("\n").length));
    expect(longest).toBeLessThan(60);
  });
});

async function messages(code: string, name: string): Promise<(string | undefined)[]> {
  const tree = { ...TREE, "src/bank.ts": code };
  const doc = parseSource(BANK).functions.find((one) => one.name === name)?.doc ?? null;
  const made = unitTest(tree, "src/bank.ts", name, contractOf(doc));
  const { tests, skipped, broken } = await runTree(sandbox, { ...tree, ...testFiles(made === null ? [] : [made]) });
  expect(broken).toBeNull();
  expect(skipped).toEqual([]);
  return tests.map(({ error, result }) => error?.message ?? result);
}

describe("generated values", () => {
  test("include the numbers that a contract names and those beside them", async () => {
    expect(await messages(BANK, "fee")).toEqual(["PASS", "PASS"]);
    expect(await messages(BANK.replace("amount < 10000 ?", "amount <= 10000 ?"), "fee")).toEqual([
      "PASS",
      expect.stringMatching(/^expected amount >= 10000 implies .* with amount = cents\(10000\)$/),
    ]);
    expect(await messages(BANK.replace("amount < 10000 ?", "amount < 9999 ?"), "fee")).toEqual([
      expect.stringMatching(/with amount = cents\(9999\)$/),
      "PASS",
    ]);
  });

  test("include texts that match a pattern of the contract, and lists and texts that it names", () => {
    const code = "export function subject(text: string, all: string[], sizes: number[], short: string): boolean { return true; }";
    const of = (clause: string) => unitTest({ "src/a.ts": code }, "src/a.ts", "subject", contractOf(clause))?.text;
    expect(of("ENSURES: /^[ab]+$/.test(text) implies result")).toContain("$texts({ like: [/^[ab]+$/] })");
    const named = of(
      `REQUIRES: short.length <= 2\nENSURES: result !== (all.join() === ["x", "y"].join() || text === "some" || sizes === [-4, 2.5])`,
    );
    expect(named).toContain(`[["x","y"]]`);
    expect(named).toContain("[[-4,2.5]]");
    expect(named).toContain(`$texts({ named: ["x","y","some"] })`);
    expect(named).toContain(`$texts({ minLength: 0, maxLength: 2, named: ["x","y"] })`);
    const patterned = of(`REQUIRES: /^s/.test(text)\nENSURES: text === "some" || text === "other"`);
    expect(patterned).toContain(`$texts({ pattern: /^s/, named: ["some"] })`);
  });

  test(
    "are sometimes equal in parameters and in objects of a list, so that the premise of an implication is reached",
    { timeout: 240_000 },
    async () => {
      expect(await messages(BANK, "find")).toEqual(["PASS", "PASS"]);
      const first = BANK.replace("bank.accounts.find((one) => one.id === id) ?? null", "bank.accounts.at(0) ?? null");
      expect((await messages(first, "find"))[0]).toMatch(/^expected result !== null implies result\.id === id, got /);
      const none = BANK.replace(
        "bank.accounts.find((one) => one.id === id) ?? null",
        "bank.accounts.find((one) => one.id === id && one.kind === 'frozen') ?? null",
      );
      expect((await messages(none, "find"))[1]).toMatch(/^expected bank\.accounts\.some/);
    },
  );
});

describe("an operation of a claim", () => {
  const run = async (tree: SourceTree, type: ClaimType, part: object = PART) => {
    const made = claimTest(tree, claim(type, part));
    expect(made.untested).toEqual([]);
    const { tests, broken } = await runTree(sandbox, { ...tree, ...testFiles([made]) });
    expect(broken).toBeNull();
    return tests[0]?.error?.message ?? tests[0]?.result;
  };
  const LOSING = {
    ...TREE,
    "src/bank.ts": BANK.replace("one.id === from ? -amount : 0", "one.id === from ? -amount + (one.balance === 7 ? 1 : 0) : 0"),
  };

  test(
    "may give a variable of the setup a new value, so that sequences over immutable values are tested",
    { timeout: 240_000 },
    async () => {
      expect(await run(TREE, "invariant")).toBe("PASS");
      expect(await run({ ...TREE, "src/bank.ts": BANK.replace("? amount :", "? amount + 1 :") }, "invariant")).toMatch(
        /^expected total\(bank\) === before, got false after \[move\(bank, id\(from\), id\(to\), amount\) with \[/,
      );
      const twice = { ...PART, operations: [...PART.operations, ...PART.operations] };
      expect(await run(TREE, "behavioral", twice)).toBe("PASS");
      expect(
        await run(LOSING, "invariant", {
          ...PART,
          setup: [{ ...PART.setup[0], value: PART.setup[0]?.value.replace("first", "cents(7)") }, PART.setup[1]],
        }),
      ).toMatch(/^expected total/);
    },
  );

  test("may not change another variable, nor assign in its value", () => {
    const update = (name: string, value: string) => ({ ...PART, operations: [{ ...PART.operations[0], update: { name, value } }] });
    expect(claimProblem(TREE, claim("invariant", update("first", "result")))).toBe("first is no variable of the setup");
    expect(claimProblem(TREE, claim("invariant", update("bank", "bank = 1")))).toContain("changes");
    expect(claimProblem(TREE, claim("invariant", { ...PART, setup: [{ ...PART.setup[0], type: "Bank; evil()" }] }))).toContain("no type");
  });
});
