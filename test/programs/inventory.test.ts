import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ANSWERS } from "./inventory/answers.ts";
import { compileProblems, programProject, writeProgram, type ProgramProject, type Written } from "./run-program.ts";

const SPEC = readFileSync(join(import.meta.dirname, "inventory", "spec.toml"), "utf8");

describe("a TypeScript library from a given specification", () => {
  let project: ProgramProject;
  let written: Written;

  beforeAll(() => {
    project = programProject(
      {
        "README.md": "# Inventory\n",
        ".node-version": "24\n",
        "spec.toml": SPEC,
        "slipway/criticality.toml": '[project]\nname = "inventory"\nlanguage = "typescript"\n',
      },
      ANSWERS,
      ["fast-check", "pure-rand"],
    );
    written = writeProgram(project, "inventory");
  }, 600_000);

  test("is merged with 26 functions in 6 modules, two of them written by a larger model", () => {
    expect(written.value, written.output).toMatchObject({ status: "merged", functions: 26, escalations: 2 });
    const modules = project.git("ls-tree", "-r", "--name-only", "main", "src/domain", "src/services").trim().split("\n");
    expect(modules).toHaveLength(7);
    expect(project.git("show", "main:src/domain/warehouse.ts")).toContain("export interface Warehouse");
  });

  test("[CRI-059] two functions that call each other are written together", () => {
    expect(written.output).toContain("category.forestSize + category.treeSize accepted");
  });

  test.each([
    ["does not parse", "sku.parseSku: attempt 1 does not parse"],
    ["does not compile", "sku.splitSku: attempt 1 does not compile"],
    ["fails its tests", "collections.chunk: attempt 1 fails its tests"],
    ["breaks its purity", "collections.groupBy: attempt 1 breaks its contract"],
    ["runs a text as code", "category.findCategory: attempt 1 has a security finding"],
  ])("a body that %s is discarded", (_, line) => {
    expect(written.output).toContain(line);
  });

  test("its claims of five types are tested, and two are listed with the reason why not", () => {
    const { claims } = JSON.parse(project.slipway("criticality", "claims", "--json").output) as {
      claims: { id: string; status: string; reason: string | null }[];
    };
    expect(Object.fromEntries(claims.map(({ id, status }) => [id, status]))).toEqual({
      sku_001: "pass",
      category_001: "pass",
      stock_001: "pass",
      stock_002: "pass",
      reservation_001: "pass",
      order_001: "pass",
      order_002: "pass",
      order_003: "untested",
      usability_001: "untested",
    });
    expect(claims.flatMap(({ status, reason }) => (status === "untested" ? [reason] : []))).toEqual([
      "it is no expression of the language",
      "the specification says that it is not testable",
    ]);
  });

  test("its tests pass when Node runs them", () => {
    const { status, output } = project.run(process.execPath, ["--test", "tests/**/*.test.ts"]);
    expect([status, output]).toEqual([0, expect.stringMatching(/^ℹ fail 0$/m)]);
  }, 60_000);

  test("its sources and tests are correct for the strict compiler", () => {
    expect(compileProblems(project)).toBe("");
  }, 60_000);
});
