import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import type { SourceTree } from "../adapter.ts";
import { structuredClaimSchema, CLAIM_TYPES, type ClaimType, type StructuredClaim } from "../property-tests/claim.ts";
import { CLAIM_FRAMEWORKS, CLAIM_TEST_KINDS } from "../property-tests/frameworks.ts";
import { claimTest } from "./claim-test.ts";
import { claimProblem } from "./testing/claim-problem.ts";
import { testFiles } from "../property-tests/test-files.ts";
import { compileProblems, runTree } from "./testing/projects.ts";
import { untilDecided } from "./testing/until-decided.ts";
import type { TestRunnerName } from "./test-runners.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
});

type Executable = NonNullable<Parameters<typeof structuredClaimSchema.parse>[0]>;

function claim(type: ClaimType, testPart: Executable | undefined, more: Partial<StructuredClaim> = {}): StructuredClaim {
  const fields = {
    type,
    subject: "account",
    predicate: "holds",
    scope: "always",
    testable: true,
    requires_mocking: [],
    suggested_generators: [],
  };
  return {
    ...structuredClaimSchema.parse({ ...fields, ...(testPart === undefined ? {} : { test: testPart }) }),
    id: "balance_001",
    text: "The balance is right.",
    ...more,
  };
}

async function outcome(tree: SourceTree, one: StructuredClaim, runner: TestRunnerName = "vitest") {
  const made = claimTest(tree, one, { runner });
  expect(made.untested).toEqual([]);
  expect(compileProblems({ ...tree, ...testFiles([made]) })).toEqual([]);
  const { tests, skipped, broken } = await runTree(sandbox, { ...tree, ...testFiles([made]) });
  expect(broken).toBeNull();
  return {
    made,
    message: skipped.length > 0 ? "SKIPPED" : (tests[0]?.error?.message ?? tests[0]?.result),
    count: tests.length + skipped.length,
  };
}

const account = (withdraw: string) => ({
  "src/account.ts": `export class Account {
  balance: number;
  constructor(balance: number) { if (!(balance >= 0)) throw new RangeError("negative"); this.balance = balance; }
  deposit(amount: number): void { if (!(amount > 0)) throw new RangeError("not positive"); this.balance += amount; }
  withdraw(amount: number): number { ${withdraw} this.balance -= amount; return amount; }
}\n`,
});
const CHECKED = account(`if (amount > this.balance || amount <= 0) throw new RangeError("too much");`);
const UNCHECKED = account("");

const SEQUENCE = {
  inputs: [{ name: "initial", type: "number" }],
  setup: [{ name: "account", value: "new Account(Math.abs(initial))" }],
  operations: [
    { call: "account.deposit(amount)", when: "amount > 0", inputs: [{ name: "amount", type: "number" }] },
    { call: "account.withdraw(amount)", inputs: [{ name: "amount", type: "number" }] },
  ],
  assert: "account.balance >= 0",
};

describe("[CRI-139] [CRI-141] a claim becomes a test from a template, without a model", () => {
  test.each<TestRunnerName>(["node", "vitest", "jest"])("invariant: a property over arbitrary operations, for %s", async (runner) => {
    const right = await outcome(CHECKED, claim("invariant", SEQUENCE), runner);
    expect(right.made.path).toBe("tests/property/balance_001.test.ts");
    expect(right.made.tests).toEqual(["balance_001: The balance is right."]);
    expect(right.message).toBe("PASS");
    const wrong = await outcome(UNCHECKED, claim("invariant", SEQUENCE), runner);
    expect(wrong.message).toMatch(/^expected account\.balance >= 0, got false after \[account\.withdraw\(amount\) with \[\S+\]\] with /);
  });

  test("behavioral: an integration test of a flow", async () => {
    const part = {
      inputs: [{ name: "amount", type: "number" }],
      setup: [
        { name: "from", value: "new Account(100)" },
        { name: "to", value: "new Account(0)" },
      ],
      operations: [{ call: "transfer(from, to, amount)", when: "amount > 0 && amount <= 100" }],
      assert: "from.balance === 100 - amount && to.balance === amount && result === amount",
    };
    const tree = (rest: string) => ({
      ...CHECKED,
      "src/transfer.ts": `import type { Account } from "./account.ts";\nexport async function transfer(from: Account, to: Account, amount: number): Promise<number> { ${rest} }`,
    });
    const right = await outcome(tree("from.withdraw(amount); to.deposit(amount); return amount;"), claim("behavioral", part));
    expect(right.made.path).toBe("tests/integration/balance_001.test.ts");
    expect(right.message).toBe("PASS");
    expect((await outcome(tree("from.withdraw(amount); return amount;"), claim("behavioral", part))).message).toMatch(
      /^expected from\.balance === .* got \[/,
    );
  });

  test("negative: the last call must fail, and the state must be right after it", async () => {
    const part = {
      inputs: [{ name: "amount", type: "number" }],
      setup: [{ name: "account", value: "new Account(10)" }],
      operations: [{ call: "account.deposit(5)" }, { call: "account.withdraw(amount)", when: "amount > 15" }],
      assert: "account.balance === 15",
    };
    const right = await outcome(CHECKED, claim("negative", part));
    expect(right.made.text).toContain(".rejects.toThrow()");
    expect(right.message).toBe("PASS");
    expect((await outcome(UNCHECKED, claim("negative", part))).message).toMatch(/expected|resolved/i);
    const half = account(`this.balance = 0; if (amount > 1) throw new RangeError("late");`);
    expect((await outcome(half, claim("negative", part))).message).toMatch(/^expected account\.balance === 15/);
  });

  test("temporal: a state machine with a clock that the test moves", async () => {
    const lease = (held: string) => ({
      "src/lease.ts": `export class Lease {\n  #until = 0;\n  #taken = -1;\n  take(): void { this.#taken = Date.now(); this.#until = Date.now() + 1000; }\n  get taken(): number { return this.#taken; }\n  held(): boolean { return ${held}; }\n}\n`,
    });
    const part = {
      setup: [{ name: "lease", value: "new Lease()" }],
      operations: [{ call: "lease.take()" }],
      assert: "lease.held() === (lease.taken >= 0 && now < lease.taken + 1000)",
      clock_steps_ms: [1, 400, 999, 5000],
    };
    for (const runner of ["node", "vitest"] as const) {
      expect((await outcome(lease("Date.now() < this.#until"), claim("temporal", part), runner)).message).toBe("PASS");
    }
    const wrong = await outcome(lease("this.#until > 0 && Date.now() <= this.#until"), claim("temporal", part));
    expect(wrong.message).toMatch(/^expected lease\.held\(\).* got false after \[lease\.take\(\) with \[\], .*ms/);
  });

  test("concurrent: calls at the same time", async () => {
    const store = (body: string) => ({
      "src/store.ts": `export class Store {\n  total = 0;\n  #tail: Promise<unknown> = Promise.resolve();\n  async add(n: number): Promise<number> { ${body} }\n}\n`,
    });
    const part = {
      setup: [{ name: "store", value: "new Store()" }],
      operations: [{ call: "store.add(n)", inputs: [{ name: "n", type: "1 | 2 | 3" }] }],
      assert: "store.total === results.reduce((sum, one) => sum + (one.status === 'fulfilled' ? Number(one.value) : 0), 0)",
    };
    const read = `const before = this.total; await null; this.total = before + n; return n;`;
    const right = store(`const turn = this.#tail.then(async () => { ${read} }); this.#tail = turn; return turn;`);
    expect((await outcome(right, claim("concurrent", part))).message).toBe("PASS");
    expect((await outcome(store(read), claim("concurrent", part))).message).toMatch(
      /^expected store\.total .* after 2 calls at the same time/,
    );
  });

  describe("performance: the growth of the time is compared with the bound", { timeout: 240_000 }, () => {
    const STORE = {
      "src/store.ts": `export interface Item { readonly id: number; readonly name: string }
export class Store {
  readonly #sorted: Item[] = [];
  readonly #byId = new Map<number, Item>();
  add(item: Item): this { this.#sorted.push(item); this.#byId.set(item.id, item); return this; }
  get(id: number): Item | undefined { return this.#byId.get(id); }
  rank(id: number): number { let low = 0, high = this.#sorted.length; while (low < high) { const middle = (low + high) >> 1; if (this.#sorted[middle]!.id < id) low = middle + 1; else high = middle; } return low; }
  async last(id: number): Promise<number> { await null; let found = -1; for (const one of this.#sorted) if (one.id === id) found = one.id; return found; }
}\n`,
    };
    /** The set-up is n calls of the module. */
    const part = (call: string, bound: string) => ({
      setup: [
        {
          name: "store",
          value: "Array.from({ length: n }, (_, id) => id).reduce((all, id) => all.add({ id, name: `${id}` }), new Store())",
        },
      ],
      operations: [{ call }],
      bound,
    });

    test.each([
      ["store.get(3)", "O(1)"],
      ["store.rank(3)", "O(log n)"],
      ["store.last(3)", "O(n)"],
    ])("[CRI-127] %s is within %s, whatever the set-up costs", async (call, bound) => {
      // On a busy machine the times may decide nothing.
      expect((await outcome(STORE, claim("performance", part(call, bound)))).message).toMatch(/^(?:PASS|SKIPPED)$/);
    });

    test("[CRI-127] one that grows faster fails, with the times; an asynchronous one is awaited", async () => {
      const measured = await untilDecided(
        () => outcome(STORE, claim("performance", part("store.last(3)", "O(1)"))),
        ({ message }) => message === "SKIPPED",
      );
      expect(measured.message).toMatch(/^expected O\(1\), got growth [\d.]+ % above it for each factor of ten, with times 10: /);
    });

    const hostile = (attack: string) => ({
      "src/store.ts": STORE["src/store.ts"].replace("await null;", `await null; attack();`).replace(
        "export class",
        `const of = (name: string): any => (process as any).getBuiltinModule(name);
const each = (attempts: readonly (() => unknown)[]) => { for (const one of attempts) { try { one(); } catch {} } };
let attacked = false;
function attack(): void { if (attacked) return; attacked = true; const shared: any = globalThis; ${attack} }
export class`,
      ),
    });

    test.each([
      [
        "replaces the clock, the loop and the channel",
        `each([
          () => { performance.now = () => 0; }, () => { shared.performance = { now: () => 0 }; }, () => { Date.now = () => 0; }, () => { process.hrtime.bigint = () => 0n; },
          () => { Reflect.apply = () => undefined; }, () => { shared.Reflect = { apply: () => undefined }; }, () => { shared.structuredClone = () => []; },
          () => { (Array.prototype as any)[Symbol.iterator] = function* () {}; }, () => { Array.prototype.join = () => "0 0 0 0"; }, () => { Array.from = () => [] as any; },
          () => { JSON.stringify = () => "{}"; }, () => { JSON.parse = () => ({}); }, () => { shared.JSON = {}; }, () => { Promise.prototype.then = function () { return this as any; }; },
          () => { Buffer.from = () => new Uint8Array() as any; }, () => { shared.Buffer = class {}; }, () => { Map.prototype.get = () => undefined; },
          () => { const fs = of("fs"); fs.writeSync = fs.readSync = () => 0; of("module").syncBuiltinESMExports(); },
        ]);`,
      ],
      [
        "answers in place of the bridge",
        `const answer = { ended: "returned", values: ["0 0.001 0.001 0.001"], objects: [], settled: [] };
        for (let number = 0; number < 200; number++) of("fs").writeSync(1, JSON.stringify({ number, answer }) + "\\n");`,
      ],
    ])("code that %s cannot fake the times", async (_, attack) => {
      const made = claimTest(STORE, claim("performance", part("store.last(3)", "O(1)")), { runner: "vitest" });
      const { tests, skipped, broken } = await untilDecided(
        () => runTree(sandbox, { ...hostile(attack), ...testFiles([made]) }),
        (ran) => ran.broken === null && ran.skipped.length > 0,
      );
      expect({ broken, skipped, results: tests.map(({ result }) => result) }).toEqual({ broken: null, skipped: [], results: ["FAIL"] });
      if (attack.startsWith("each")) expect(tests[0]?.error?.message).toMatch(/^expected O\(1\), got growth/);
    });
  });

  test("a sequence in which no operation can be carried out proves nothing and fails", async () => {
    const part = { ...SEQUENCE, operations: [{ call: "account.deposit(1)", when: "account.balance < 0" }] };
    expect((await outcome(CHECKED, claim("invariant", part))).message).toBe(
      "expected operations that can be carried out, got none in 100 sequences",
    );
    const none = {
      ...SEQUENCE,
      inputs: [],
      setup: [{ name: "account", value: "new Account(1)" }],
      operations: [{ call: "account.deposit(-1)" }],
      assert: "account.balance === 1",
    };
    expect((await outcome(CHECKED, claim("concurrent", none))).message).toBe("expected calls that succeed, got none");
  });

  test("without an executable part the subject is a function and the predicate a condition over it", async () => {
    const tree = (body: string) => ({
      "src/half.ts": `/**\n * REQUIRES: n >= 0\n */\nexport function half(n: number): number { ${body} }`,
    });
    const right = tree(`if (!(n >= 0)) throw new RangeError("negative"); return n / 2;`);
    const behavioral = claim("behavioral", undefined, { subject: "half", predicate: "result * 2 === n" });
    const done = await outcome(right, behavioral);
    expect(done).toMatchObject({
      message: "PASS",
      count: 1,
      made: { path: "tests/integration/balance_001.test.ts", tests: ["balance_001: The balance is right."] },
    });
    expect((await outcome(tree("return n;"), behavioral)).message).toMatch(/^expected result \* 2 === n, got/);
    const negative = claim("negative", undefined, { subject: "half()", predicate: "n >= 0" });
    expect((await outcome(right, negative)).message).toBe("PASS");
    expect((await outcome(tree("return n / 2;"), negative)).message).toMatch(/^expected an error because n >= 0 does not hold/);
  });
});

describe("[CRI-141] a claim that cannot be tested has no test and is listed with the reason", () => {
  test("because it is not testable", () => {
    const { text, tests, untested } = claimTest(CHECKED, claim("invariant", SEQUENCE, { testable: false }));
    expect({ text, tests, untested }).toEqual({
      text: "",
      tests: [],
      untested: [{ subject: "balance_001", reason: "the claim is not testable" }],
    });
  });

  test.each<[string, ClaimType, Executable, string]>([
    ["a call that is none", "invariant", { ...SEQUENCE, operations: [{ call: "account.balance" }] }, "is no call"],
    ["a statement", "invariant", { ...SEQUENCE, operations: [{ call: "account.deposit(1); account.deposit(2)" }] }, "no expression"],
    ["text that leaves its place", "invariant", { ...SEQUENCE, assert: "true) || (false" }, "no expression"],
    ["an assignment", "invariant", { ...SEQUENCE, assert: "account.balance = 0" }, "changes"],
    ["a name of the machine", "invariant", { ...SEQUENCE, assert: "process.exit(0)" }, "process is neither declared nor an exported name"],
    [
      "a name that is declared later",
      "invariant",
      {
        ...SEQUENCE,
        setup: [
          { name: "account", value: "other" },
          { name: "other", value: "1" },
        ],
      },
      "other is neither",
    ],
    ["an input of another operation", "invariant", { ...SEQUENCE, assert: "amount > 0" }, "amount is neither"],
    ["the constructor of a function", "invariant", { ...SEQUENCE, assert: "account.deposit.constructor" }, "it uses constructor"],
    [
      "a type that is none",
      "invariant",
      { ...SEQUENCE, inputs: [{ name: "initial", type: "number; evil()" }] },
      "is no type of the language",
    ],
    [
      "a type without values",
      "invariant",
      { ...SEQUENCE, inputs: [{ name: "initial", type: "WeakMap<object, 1>" }] },
      "WeakMap<object, 1> cannot be generated",
    ],
    ["nothing to assert", "invariant", { ...SEQUENCE, assert: null }, "nothing to assert"],
    ["no steps of the clock", "temporal", SEQUENCE, "needs steps of the clock"],
    ["no bound", "performance", SEQUENCE, "one of the bounds"],
    ["a bound that cannot be measured", "performance", { ...SEQUENCE, bound: "O(n!)" }, "one of the bounds"],
  ])("because it has %s", (_, type, part, reason) => {
    expect(claimProblem(CHECKED, claim(type, part))).toContain(reason);
  });

  test("because its id could not be the name of a file", () => {
    const made = claimTest(CHECKED, claim("invariant", SEQUENCE, { id: "../../src/account_1" }));
    expect(made).toMatchObject({
      path: "tests/property/unnamed.test.ts",
      text: "",
      untested: [{ reason: "the id of the claim is not like balance_001" }],
    });
  });

  test("because two files export the name", () => {
    expect(claimProblem({ ...CHECKED, "src/other.ts": "export class Account {}" }, claim("invariant", SEQUENCE))).toContain(
      "Account is neither",
    );
    expect(claimProblem(CHECKED, claim("invariant", SEQUENCE))).toBeNull();
  });

  test("because without an executable part there is no function, no expression, a mock, or another type", () => {
    const reason = (type: ClaimType, more: Partial<StructuredClaim>) =>
      claimProblem(CHECKED, claim(type, undefined, { subject: "deposit", ...more }));
    expect(reason("behavioral", { subject: "nothing_here" })).toContain("nothing_here");
    expect(reason("behavioral", { predicate: "it just works" })).toBe("it is no expression of the language");
    expect(reason("behavioral", { requires_mocking: ["the bank"] })).toContain("the bank");
    expect(reason("temporal", {})).toContain("needs an executable part");
  });

  test("[CRI-140] fields beside the seven and the executable part are rejected", () => {
    const fields = {
      type: "invariant",
      subject: "a",
      predicate: "b",
      scope: "c",
      testable: true,
      requires_mocking: [],
      suggested_generators: [],
    };
    expect(structuredClaimSchema.safeParse(fields).success).toBe(true);
    expect(structuredClaimSchema.safeParse({ ...fields, more: 1 }).success).toBe(false);
    expect(structuredClaimSchema.safeParse({ ...fields, type: "other" }).success).toBe(false);
    for (const name of Object.keys(fields)) expect(structuredClaimSchema.safeParse({ ...fields, [name]: undefined }).success).toBe(false);
  });
});

test("[CRI-139] [CRI-142] each type of claim has a kind of test and a framework in each language", () => {
  expect(CLAIM_TYPES.map((type) => CLAIM_TEST_KINDS[type])).toEqual([
    "property test over arbitrary operations",
    "integration test",
    "test expecting failure",
    "state machine test with mock time",
    "parallel execution test",
    "benchmark",
  ]);
  const row = (language: keyof typeof CLAIM_FRAMEWORKS) => CLAIM_TYPES.map((type) => CLAIM_FRAMEWORKS[language][type]).join(", ");
  expect(row("rust")).toBe("proptest, #[test], should_panic, mock_time + proptest, loom, criterion");
  expect(row("typescript")).toBe("fast-check, jest/vitest, expect().toThrow, fake timers, workers, benchmark.js");
  expect(row("python")).toBe("hypothesis, pytest, pytest.raises, freezegun + hypothesis, asyncio, pytest-benchmark");
  expect(row("go")).toBe("gopter, testing, require.Panics, testclock, go test -race, testing.B");
});
