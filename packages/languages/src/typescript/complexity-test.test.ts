import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import { parseContract } from "../micro-contracts/parse.ts";
import { complexityTest } from "./complexity-test.ts";
import { testFiles } from "../property-tests/test-files.ts";
import { compileProblems, runTree } from "./testing/projects.ts";
import { untilDecided } from "./testing/until-decided.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
});

const PATH = "src/subject.ts";
const made = (code: string, contract: string, name = "subject") =>
  complexityTest({ [PATH]: code }, PATH, name, parseContract(contract, 1, null));

async function outcome(code: string, contract: string, name = "subject") {
  const generated = made(code, contract, name);
  if (generated === null) throw new Error("no test");
  expect(generated.untested).toEqual([]);
  const tree = { [PATH]: code, ...testFiles([generated]) };
  expect(compileProblems(tree)).toEqual([]);
  const { tests, skipped, broken } = await runTree(sandbox, tree);
  expect(broken).toBeNull();
  return skipped.length > 0 ? "SKIPPED" : (tests[0]?.error?.message ?? tests[0]?.result);
}

const decided = (...given: Parameters<typeof outcome>) =>
  untilDecided(
    () => outcome(...given),
    (result) => result === "SKIPPED",
  );

describe("[CRI-104] [CRI-127] a COMPLEXITY clause is verified by a benchmark", { timeout: 240_000 }, () => {
  const SORTED = "REQUIRES: items.every((one, at) => at === 0 || items[at - 1]! <= one)\nCOMPLEXITY: O(log n) where n = items.length";
  const search = (body: string) => `export function subject(items: readonly number[], item: number): number { ${body} return -1; }`;

  test("which fails a body that grows faster, with the times", async () => {
    const linear = search(
      "let last = -1; for (let at = 0; at < items.length; at++) if (items[at] === item) last = at; if (last >= 0) return last;",
    );
    expect(await decided(linear, SORTED)).toMatch(/^expected O\(log n\), got growth \d+ % above it/);
  });

  test("which does not fail a body within the bound", async () => {
    const halving = search(
      "let low = 0, high = items.length - 1; while (low <= high) { const middle = (low + high) >> 1; if (items[middle] === item) return middle; if (items[middle]! < item) low = middle + 1; else high = middle - 1; }",
    );
    // On a busy machine the times may be too noisy to judge.
    expect(await outcome(halving, SORTED.replace("O(log n)", "O(n)"))).toMatch(/^(?:PASS|SKIPPED)$/);
  });

  test("which calls a method, and a body cannot state its own time", async () => {
    const code = `export class Box {\n  add(items: number[]): number { const now = performance.now(); performance.now = () => now; try { Date.now = () => 0; } catch {} let count = 0; for (const a of items) for (const b of items) if (a < b) count++; return count; }\n}`;
    expect(await decided(code, "COMPLEXITY: O(n)", "Box.add")).toMatch(/^expected O\(n\), got growth/);
  });

  test("which fails if no input of the size satisfies the preconditions", async () => {
    expect(
      await outcome(
        "export function subject(items: number[]): number { return items.length; }",
        "REQUIRES: items.length < 5\nCOMPLEXITY: O(1)",
      ),
    ).toBe("expected an input of size 10 that satisfies the preconditions, got none");
  });
});

describe("a clause that cannot be measured is listed with the reason", () => {
  const code = `export function subject(items: number[], other: string[], map: Map<string, number>, by: WeakMap<object, 1> | null): number { return items.length; }\nexport class A { constructor(items: number[]) { void items; } }\nexport function list(items: WeakMap<object, 1>[]): number { return items.length; }`;
  const reason = (contract: string, name?: string) => made(code, contract, name)?.untested[0]?.reason;

  test("or there is no such clause", () => {
    expect(made(code, "PURITY: pure")).toBeNull();
    expect(reason("COMPLEXITY: O(n!)")).toBe("the bound cannot be measured");
    expect(reason("COMPLEXITY: O(n)")).toBe("n is not the size of a parameter");
    expect(reason("COMPLEXITY: O(n) where n = map.size")).toBe("n is not the size of a parameter");
    expect(reason("COMPLEXITY: O(n) where n = items")).toBe("n is not the size of a parameter");
    expect(reason("COMPLEXITY: O(n) where n = items.length")).toContain("WeakMap");
    expect(reason("COMPLEXITY: O(n)", "list")).toContain("WeakMap");
    expect(reason("COMPLEXITY: O(n)", "A.constructor")).toContain("is not measured");
    expect(reason("COMPLEXITY: O(n)", "missing")).toContain("has no missing");
  });

  test("a number can be the size", () => {
    expect(
      made("export function subject(count: number): number { return count; }", "COMPLEXITY: O(n) where n = count")?.tests,
    ).toHaveLength(1);
    expect(made("export const subject = (text: string): number => text.length;", "COMPLEXITY: O(n)")?.text).toContain(
      "fc.string({ minLength: n, maxLength: n })",
    );
  });
});
