import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { LanguageAdapter, LanguageId, SourceTree } from "../adapter.ts";
import { parseContract } from "../micro-contracts/parse.ts";
import type { StructuredClaim } from "../property-tests/claim.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { testSandbox } from "./tools-here.ts";
import { testFiles } from "../property-tests/test-files.ts";
import type { WitnessDefinition, WitnessLevel } from "../witnesses/definition.ts";

/** What the suite needs to know of a language: a small project, and bodies for its hole. */
export interface AdapterSample {
  readonly id: LanguageId;
  readonly make: (machine: LanguageMachine) => LanguageAdapter;
  /** A skeleton with one hole, and a function that is complete. */
  readonly tree: SourceTree;
  readonly path: string;
  readonly functions: readonly string[];
  /** The function with the hole: it puts `value` between `low` and `high`, and fails if low is above high. */
  readonly target: string;
  readonly right: string;
  /** Compiles, and gives low instead of high. */
  readonly wrong: string;
  /** Right, but does not check its precondition. */
  readonly careless: string;
  /** Parses, and does not compile. */
  readonly mistyped: string;
  readonly malformed: string;
  readonly escaping: string;
  readonly endless: string;
  /** Ends the process in the middle of a test, with success. */
  readonly exits: string;
  /** Reports that tests with these names have passed, and ends well. */
  readonly forges: (names: readonly string[]) => string;
  readonly test: { readonly path: string; readonly text: string };
  readonly branchy: {
    readonly text: string;
    readonly name: string;
    readonly cyclomatic: number;
    readonly nesting: number;
    readonly lines: number;
  };
  readonly dangerous: { readonly body: string; readonly rule: string };
  readonly witness: WitnessDefinition;
  readonly level: WitnessLevel;
  /** Fails unless the witness takes a good value and refuses a bad one. */
  readonly witnessTest: { readonly path: string; readonly text: string };
  readonly witnessWords: readonly RegExp[];
  readonly claims: readonly { readonly claim: StructuredClaim; readonly framework: RegExp }[];
  /** The programs of the support matrix that must be installed. */
  readonly tools: readonly string[];
}

/** Where `npm run test:languages` puts pyright. */
export const LANGUAGE_PACKAGES = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "slipway", "languages", "node_modules");

/** The environment in which adapters find the toolchains of this machine. */
export function testMachine(cache?: string): LanguageMachine {
  return { env: process.env, packages: [LANGUAGE_PACKAGES], ...(cache === undefined ? {} : { cache }) };
}

export function projectFolder(tree: SourceTree): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-project-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Compilers on a busy machine. */
const SLOW = { timeout: 300_000 };

/** Every adapter must pass this. Parts whose tools are missing are skipped, with the name of the tool. */
export function adapterSuite(sample: AdapterSample): void {
  const { id, path, target, tree } = sample;
  let sandbox: Sandbox;
  let adapter: LanguageAdapter;
  let missing: ReadonlyMap<string, string>;
  const cache = realpathSync(mkdtempSync(join(tmpdir(), "slipway-cache-")));

  beforeAll(async () => {
    sandbox = await testSandbox();
    adapter = sample.make(testMachine(cache));
    missing = new Map((await adapter.missingTools()).map(({ tool, install }) => [tool, `${tool} is not installed (${install})`]));
  });
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  /** Skips unless the tools are there. The first tool is the compiler. */
  const needs = (context: TestContext, ...tools: readonly string[]) => {
    const lacking = [sample.tools[0] ?? "", ...tools].find((tool) => missing.has(tool));
    context.skip(lacking !== undefined, lacking === undefined ? "" : (missing.get(lacking) ?? ""));
  };
  const source = () => adapter.parseAst(tree[path] ?? "");
  const filled = (body: string): SourceTree => ({ ...tree, [path]: adapter.emitCode(adapter.injectBody(source(), target, body)) });
  const compile = (files: SourceTree) => adapter.compileCheck(projectFolder(files), { sandbox });
  const run = (files: SourceTree, more: { timeoutMs?: number; files?: string[] } = {}) =>
    adapter.runTests(projectFolder(files), { sandbox, ...more });
  const withTest = (body: string): SourceTree => ({ ...filled(body), [sample.test.path]: sample.test.text });
  const failing = ({ tests }: Awaited<ReturnType<typeof run>>) => tests.filter(({ result }) => result === "FAIL").map(({ name }) => name);
  const holds = ({ tests, broken }: Awaited<ReturnType<typeof run>>) => ({
    broken,
    ran: tests.length > 0,
    failed: tests.filter(({ result }) => result === "FAIL"),
  });
  const PASSED = { broken: null, ran: true, failed: [] };

  describe(`[CRI-185] the adapter of ${id}`, () => {
    test("parseAst finds the functions, and [CRI-039] holes by the syntax tree", () => {
      const { functions } = source();
      expect(functions.map(({ name }) => name)).toEqual(sample.functions);
      expect(functions.filter(({ isHole }) => isHole).map(({ name }) => name)).toEqual([target]);
      expect(functions.find(({ name }) => name === target)?.doc).toContain("REQUIRES: low <= high");
      expect(adapter.injectBody(source(), target, adapter.hole).functions.filter(({ isHole }) => isHole)).toHaveLength(1);
    });

    test("emitCode gives the text back byte by byte, and an injection changes nothing outside the body", () => {
      const ast = source();
      expect(adapter.emitCode(ast)).toBe(tree[path]);
      const injected = adapter.injectBody(ast, target, sample.right);
      const { start, end } = ast.functions.find(({ name }) => name === target)?.body ?? { start: 0, end: 0 };
      const [before, after] = [ast.text.slice(0, start), ast.text.slice(end)];
      expect(adapter.emitCode(injected).slice(0, start)).toBe(before);
      expect(adapter.emitCode(injected).slice(-after.length)).toBe(after);
      expect(injected.functions.some(({ isHole }) => isHole)).toBe(false);
      // A discarded body leaves the tree as it was.
      expect(adapter.emitCode(ast)).toBe(tree[path]);
    });

    test.each([
      ["that is missing", "no_such_function", "right", "function_not_found"],
      ["with a body that does not parse", target, "malformed", "body_syntax"],
      ["with a body that leaves it", target, "escaping", "body_escapes"],
    ] as const)("injectBody refuses a function %s", (_, name, body, code) => {
      expect(() => adapter.injectBody(source(), name, sample[body])).toThrow(expect.objectContaining({ code }) as Error);
    });

    test("a text that does not parse is refused with its place", () => {
      expect(() => adapter.parseAst(`${tree[path] ?? ""}\n(((`)).toThrow(expect.objectContaining({ code: "source_syntax" }) as Error);
    });

    test("latticeProblems names bodies with code, and nothing in src/witnesses", () => {
      const [body] = adapter
        .latticeProblems(path, adapter.injectBody(source(), target, sample.right))
        .filter(({ message }) => message.includes(target));
      expect(body).toMatchObject({ file: path });
      expect(adapter.latticeProblems(`src/witnesses/x${sample.id}`, adapter.injectBody(source(), target, sample.right))).toEqual([]);
      expect(adapter.latticeProblems(path, source()).filter(({ message }) => message.includes(target))).toEqual([]);
    });

    test("typeDefinitions shows no bodies", () => {
      const named = (tree[path] ?? "").replace("Puts a value between two others.", "See twice, Twice and Calc.twice.");
      const text = adapter.typeDefinitions({ ...tree, [path]: named }, path, target, 2);
      expect(text).not.toContain("2 * n");
      expect(text).not.toContain("hole");
    });

    test("compileCheck accepts the hole [CRI-039] and a right body, and finds a wrong type with its place", SLOW, async (context) => {
      needs(context);
      expect(await compile(tree)).toMatchObject({ passed: true, problems: [] });
      expect(await compile(filled(sample.right))).toMatchObject({ passed: true, problems: [] });
      const failed = await compile(filled(sample.mistyped));
      if ((failed.notes ?? []).length > 0) return context.skip(failed.notes?.[0]);
      expect(failed.passed).toBe(false);
      const line = adapter.injectBody(source(), target, sample.mistyped).functions.find(({ name }) => name === target)?.line ?? 0;
      expect(failed.problems.map((problem) => problem.file)).toContain(path);
      expect(failed.problems.some((problem) => problem.line >= line && problem.line <= line + 12)).toBe(true);
    });

    test("the oracle checks a file without keeping it, until it is accepted", SLOW, async (context) => {
      needs(context);
      const oracle = await adapter.openOracle(tree, { sandbox });
      try {
        const bad = filled(sample.mistyped)[path] ?? "";
        expect(await oracle.check()).toMatchObject({ passed: true });
        const checked = await oracle.checkFile(path, bad);
        if ((checked.notes ?? []).length > 0) return context.skip(checked.notes?.[0]);
        expect(checked.passed).toBe(false);
        expect(await oracle.check()).toMatchObject({ passed: true });
        await oracle.accept(path, bad);
        expect((await oracle.check()).passed).toBe(false);
        expect(await oracle.checkFile(path, filled(sample.right)[path] ?? "")).toMatchObject({ passed: true });
      } finally {
        await oracle.close();
      }
    });

    test("runTests passes the right body and fails the wrong one, with the message of the check", SLOW, async (context) => {
      needs(context, "pytest");
      expect(holds(await run(withTest(sample.right)))).toEqual(PASSED);
      const wrong = await run(withTest(sample.wrong));
      expect(wrong.broken).toBeNull();
      expect(failing(wrong).length).toBeGreaterThan(0);
      expect(wrong.tests.find(({ result }) => result === "FAIL")?.error?.message).not.toBe("");
    });

    test("runTests runs the selected files only, and a project without tests has none", SLOW, async (context) => {
      needs(context, "pytest");
      expect(await run(filled(sample.right))).toEqual({ tests: [], skipped: [], broken: null });
      expect(holds(await run(withTest(sample.right), { files: [sample.test.path] }))).toEqual(PASSED);
    });

    test("a body that loops forever, exits early or does not compile breaks the run or fails it", SLOW, async (context) => {
      needs(context, "pytest");
      const verdict = async (body: string, timeoutMs: number) => {
        const { broken, tests } = await run(withTest(body), { timeoutMs });
        return broken !== null || tests.some(({ result }) => result === "FAIL");
      };
      await compile(tree);
      expect(await verdict(sample.endless, 6_000)).toBe(true);
      expect(await verdict(sample.exits, 60_000)).toBe(true);
      expect(await verdict(sample.mistyped, 60_000)).toBe(true);
    });

    test(
      "[CRI-099] [CRI-102] a witness compiles, takes a good value, refuses a bad one and has the level of its language",
      SLOW,
      async (context) => {
        const witness = adapter.generateWitness(sample.witness);
        expect(witness.level).toBe(sample.level);
        expect(witness.invariants).toEqual(sample.witness.invariants.map((one) => ({ id: one.id, level: sample.level })));
        for (const words of sample.witnessWords) expect(witness.text).toMatch(words);
        expect(adapter.parseAst(witness.text).text).toBe(witness.text);
        needs(context, "pytest");
        const files = { ...filled(sample.right), [witness.path]: witness.text, [sample.witnessTest.path]: sample.witnessTest.text };
        expect(await compile(files)).toMatchObject({ passed: true });
        expect(holds(await run(files))).toEqual(PASSED);
      },
    );

    test("an invariant that the language cannot check becomes documentation and is never dropped", () => {
      const prose = { id: "fair", description: "Everyone finds it fair", formal: "forall x: fair(x)", testable: false };
      const witness = adapter.generateWitness({ ...sample.witness, invariants: [...sample.witness.invariants, prose] });
      expect(witness.level).toBe("doc");
      expect(witness.invariants.find((one) => one.id === "fair")?.level).toBe("doc");
      expect(witness.text).toContain("Everyone finds it fair");
    });

    test("a body that turns every result green, or writes the runner's report itself, is not accepted", SLOW, async (context) => {
      needs(context, "pytest", "hypothesis");
      const doc = source().functions.find(({ name }) => name === target)?.doc ?? "";
      const generated = adapter.unitTest(tree, path, target, { clauses: parseContract(doc, 1, null).clauses });
      // Without a library for properties, the test that is written by hand.
      const written = { ...sample.test, tests: [...sample.test.text.matchAll(/^fn (\w+)/gm)].map(([, name = ""]) => name), untested: [] };
      const made = missing.has("proptest") || missing.has("rapidcheck") ? written : (generated ?? written);
      const forged = { ...filled(sample.forges(made.tests)), ...testFiles([made]) };
      await compile(tree);
      const { broken, tests } = await run(forged, { files: [made.path] });
      expect({ broken, failed: tests.some(({ result }) => result === "FAIL") }).not.toEqual({ broken: null, failed: false });
    });

    test("[CRI-142] [CRI-186] the unit test of a contract passes the right body and finds the planted bugs", SLOW, async (context) => {
      needs(context, "pytest", "hypothesis", "proptest", "rapidcheck");
      const doc = source().functions.find(({ name }) => name === target)?.doc ?? "";
      const made = adapter.unitTest(tree, path, target, { clauses: parseContract(doc, 1, null).clauses });
      if (made === null) throw new Error("no test was made");
      expect(made.tests.length).toBe(4);
      expect(made.untested.map(({ subject }) => subject)).toEqual(["ENSURES: everyone is happy"]);
      const withMade = (body: string) => ({ ...filled(body), ...testFiles([made]) });
      expect(await compile(withMade(sample.right))).toMatchObject({ passed: true });
      expect(holds(await run(withMade(sample.right)))).toEqual(PASSED);
      const wrong = await run(withMade(sample.wrong));
      expect(wrong.broken).toBeNull();
      expect(failing(wrong).join(" ")).toMatch(/ensures(?:_?\d|: )/i);
      const careless = await run(withMade(sample.careless));
      expect(careless.broken).toBeNull();
      expect(failing(careless).join(" ")).toMatch(/requires(?:_?1|: )/i);
      expect(failing(await run(withMade(adapter.hole))).length).toBeGreaterThan(0);
    });

    test("a unit test whose precondition no input satisfies fails, instead of checking nothing", SLOW, async (context) => {
      needs(context, "pytest", "hypothesis", "proptest", "rapidcheck");
      const clauses = parseContract("REQUIRES: low < low\nENSURES: result == value", 1, null).clauses;
      const made = adapter.unitTest(tree, path, target, { clauses });
      if (made === null) throw new Error("no test was made");
      const vacuous = await run({ ...filled(sample.right), ...testFiles([made]) });
      expect(vacuous.broken).toBeNull();
      expect(failing(vacuous).join(" ")).toMatch(/ensures/i);
    });

    test(
      "[CRI-142] claims become tests of the framework for their type, which pass the right body and fail the wrong one",
      SLOW,
      async (context) => {
        needs(context, "pytest", "hypothesis", "proptest", "rapidcheck");
        const made = sample.claims.map(({ claim, framework }) => {
          const generated = adapter.claimTest(filled(sample.right), claim);
          expect(generated.untested).toEqual([]);
          expect(generated.text).toMatch(framework);
          return generated;
        });
        const all = (body: string) => ({ ...filled(body), ...testFiles(made) });
        expect(holds(await run(all(sample.right)))).toEqual(PASSED);
        expect(failing(await run(all(sample.wrong))).length).toBeGreaterThan(0);
        expect(failing(await run(all(sample.careless))).length).toBeGreaterThan(0);
      },
    );

    test.each(["temporal", "concurrent", "performance"] as const)("a %s claim is listed as untested, with the reason", (type) => {
      const claim = { ...sample.claims[0]?.claim, id: "later_001", text: "Later.", type } as StructuredClaim;
      const { tests, untested, text } = adapter.claimTest(tree, claim);
      expect({ tests, text }).toEqual({ tests: [], text: "" });
      expect(untested).toEqual([{ subject: "later_001", reason: expect.stringContaining("needs") as string }]);
    });

    test("a claim that is not testable, needs a mock, or is about nothing in the tree is listed with the reason", () => {
      const base = sample.claims[0]?.claim;
      if (base === undefined) throw new Error("no claim");
      const reason = (change: Partial<StructuredClaim>) => adapter.claimTest(tree, { ...base, ...change }).untested[0]?.reason;
      expect(reason({ testable: false })).toContain("not testable");
      expect(reason({ requires_mocking: ["the clock"] })).toContain("the clock");
      expect(reason({ subject: "nothing_here" })).toContain("nothing_here");
      expect(reason({ predicate: "it just works well" })).toBeDefined();
      expect(reason({ id: "../../outside" })).toContain("balance_001");
      expect(adapter.claimTest(tree, { ...base, id: "../../outside" }).path).not.toContain("..");
    });

    test("complexity counts paths, lines and nesting", () => {
      const ast = adapter.parseAst(sample.branchy.text);
      const { cyclomatic, nesting, lines } = sample.branchy;
      expect(adapter.complexity(ast, sample.branchy.name)).toEqual({ cyclomatic, nesting, lines });
      expect(adapter.smells(ast, sample.branchy.name).map((smell) => smell.id)).toContain("deep-nesting");
      expect(adapter.smells(adapter.injectBody(source(), target, sample.right), target)).toEqual([]);
    });

    test("scan finds dangerous code in its function, and nothing in the others", () => {
      const ast = adapter.injectBody(source(), target, sample.dangerous.body);
      const [found] = adapter.scan(ast, target);
      expect(found).toMatchObject({ rule: sample.dangerous.rule, severity: expect.stringMatching(/^(?:high|critical)$/) as string });
      expect(adapter.scan(ast).map(({ rule }) => rule)).toContain(sample.dangerous.rule);
      const other = ast.functions.find(({ name }) => name !== target)?.name ?? "";
      expect(adapter.scan(ast, other)).toEqual([]);
      expect(adapter.scan(adapter.injectBody(source(), target, sample.right))).toEqual([]);
    });

    // The tools of TypeScript come with Slipway.
    if (sample.tools.length === 0) return;
    test("[CRI-186] a missing tool is named, with what it is for and how to install it", async (context) => {
      context.skip(sample.tools.length === 0, "everything comes with Slipway");
      const bare = sample.make({ env: { PATH: "", HOME: "/nonexistent" }, system: [] });
      const [first] = await bare.missingTools();
      const [compiler = ""] = sample.tools;
      expect(first).toMatchObject({
        tool: compiler,
        neededFor: expect.stringMatching(/\w/) as string,
        install: expect.stringMatching(/install/) as string,
      });
      const refusal = expect.objectContaining({ code: "tool_missing", message: expect.stringContaining(compiler) as string }) as Error;
      await expect(bare.compileCheck(projectFolder(tree), { sandbox })).rejects.toThrow(refusal);
      await expect(bare.runTests(projectFolder(tree), { sandbox })).rejects.toThrow(refusal);
    });
  });
}
