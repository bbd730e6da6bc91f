import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { unsandboxed } from "@slipway/kernel/host/sandbox/unsandboxed";
import { beforeAll, describe, expect, test } from "vitest";
import { runTree } from "../testing/projects.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = sandboxWorksHere() ? await openSandbox() : unsandboxed({ reason: "no bubblewrap here", by: "test" });
});

const testOf = (body: string) =>
  `import { test } from "node:test";\nimport * as all from "../../src/sizes.ts";\nconst { sizeOf, double, Box } = all as any;\ntest("runs", () => { ${body} });\n`;
const SIZES = `enum Size { Small, Large }

export function sizeOf(count: number): string {
  // A comment is no line of code.
  if (count > 10) {
    return Size[Size.Large]!;
  } else if (count < 0) {
    throw new RangeError("negative");
  }
  return Size[Size.Small]!;
}

export const double = (count: number): number => { return count * 2; };
export class Box {
  constructor(private readonly counts: readonly number[]) {}
  sum(): number {
    return this.counts
      .map((one) => one)
      .reduce((all, one) => all + one, 0);
  }
}
`;

async function reached(sources: string, ...bodies: string[]) {
  const tests = Object.fromEntries(bodies.map((body, at) => [`tests/unit/t${at}.test.ts`, testOf(body)]));
  const { coverage, broken, tests: ran } = await runTree(sandbox, { "src/sizes.ts": sources, ...tests }, { coverage: true });
  expect({ broken, failed: ran.filter(({ result }) => result === "FAIL") }).toEqual({ broken: null, failed: [] });
  return Object.fromEntries(
    (coverage ?? []).map(({ name, lines, reached: some }) => [name, { lines, missed: lines.filter((one) => !some.includes(one)) }]),
  );
}

describe("coverage of TypeScript", () => {
  test("is that of the lines in bodies, which are reached by any test file", async () => {
    const one = await reached(SIZES, "sizeOf(20);");
    expect(one["sizeOf"]).toEqual({ lines: [5, 6, 7, 8, 10], missed: [7, 8, 10] });
    expect(one["double"]).toEqual({ lines: [13], missed: [13] });
    const two = await reached(SIZES, "sizeOf(20); new Box([1]).sum();", "sizeOf(1); double(1);");
    expect(two).toMatchObject({ sizeOf: { missed: [8] }, double: { missed: [] }, "Box.sum": { missed: [] } });
  });

  const hostile = (attack: string) => `const of = (name: string): any => (process as any).getBuiltinModule(name);
export function sizeOf(): number {
  const attempt = (work: () => void) => { try { work(); } catch {} };
  ${attack}
  return 1;
}
export function missed(): number {
  return 2;
}
`;
  test.each([
    [
      "writes records of its own",
      `attempt(() => of("fs").writeFileSync(process.env["NODE_V8_COVERAGE"] + "/coverage-0.json", JSON.stringify({ result: [{ scriptId: "1", url: import.meta.url, functions: [{ functionName: "", isBlockCoverage: true, ranges: [{ startOffset: 0, endOffset: 100000, count: 1 }] }] }] })));`,
    ],
    ["uses the inspector", `attempt(() => { const session = new (of("inspector").Session)(); session.connect(); missed(); });`],
    [
      "evaluates a text with the name of its file",
      `attempt(() => { (0, eval)(" ".repeat(2000) + "1;//# sourceURL=" + import.meta.url); });`,
    ],
    ["stops the recording", `attempt(() => { of("v8").takeCoverage(); of("v8").stopCoverage(); });`],
  ])("cannot be forged by code that %s", async (_, attack) => {
    const covered = await reached(hostile(attack), "sizeOf();");
    expect(covered["missed"]).toEqual({ lines: [8], missed: [8] });
    expect(covered["sizeOf"]?.lines).toEqual([3, 4, 5]);
  });

  test("is not measured unless it is asked for", async () => {
    const run = await runTree(sandbox, { "src/sizes.ts": SIZES, "tests/unit/t.test.ts": testOf("sizeOf(1);") });
    expect(run.coverage).toBeUndefined();
  });
});
