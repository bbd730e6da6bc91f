import { typescriptAdapter } from "@slipway/languages/typescript/adapter";
import { HOLE } from "@slipway/languages/typescript/source/hole";
import { describe, expect, test } from "vitest";
import { sampleSpec } from "../spec/testing/specs.ts";
import { functionId, holesIn, moduleOf, subjectOf, tierReport, withBodies } from "./lattice.ts";
import { readLattice, scaffoldProblems } from "./problems.ts";
import type { Scaffold } from "./scaffold.ts";
import { projectTemplate, targetText } from "./target.ts";

const language = typescriptAdapter();
const PATH = "src/services/transfers.ts";
const CONTRACT = "/**\n * ENSURES: result >= 0\n * CLAIM_REF: balance_001\n */\n";
const hole = (name: string, doc = CONTRACT) => `${doc}export function ${name}(amount: number): number {\n  ${HOLE}\n}\n`;

function scaffoldOf(text: string, feature: string | null = "transfers", calls: Scaffold["calls"] = []): Scaffold {
  return { files: [{ path: PATH, feature, text }], calls };
}

function problemsOf(text: string, feature: string | null = "transfers", calls: Scaffold["calls"] = []): string[] {
  return readLattice({ [PATH]: text }, scaffoldOf(text, feature, calls), sampleSpec(), language).problems.map(
    ({ file, line, message }) => `${file ?? "-"}:${line} ${message}`,
  );
}

describe("reading a skeleton", () => {
  test("its functions have their contract, signature and calls", () => {
    const text = `${hole("transfer")}\n${hole("fee")}`;
    const calls = [{ function: `${PATH}#transfer`, calls: [`${PATH}#fee`] }];
    const { functions, problems } = readLattice({ [PATH]: text }, scaffoldOf(text, "transfers", calls), sampleSpec(), language);
    expect(problems).toEqual([]);
    expect(functions.map(({ id, calls: called }) => [id, called])).toEqual([
      [`${PATH}#transfer`, [`${PATH}#fee`]],
      [`${PATH}#fee`, []],
    ]);
    expect(functions[0]?.contract.clauses.map(({ kind }) => kind)).toEqual(["ENSURES", "CLAIM_REF"]);
  });

  test("[CRI-045] a hole without a contract is a problem with its place", () => {
    expect(problemsOf(`${hole("transfer")}\n${hole("fee", "")}`)).toEqual([
      `${PATH}:9 fee has no contract: write clauses in its doc comment.`,
    ]);
  });

  test("[CRI-046] a testable claim that no contract refers to is reported by its id", () => {
    expect(problemsOf(hole("transfer", "/** ENSURES: result >= 0 */\n"))).toEqual([
      "-:1 No contract has CLAIM_REF: balance_001, which the specification marks as testable.",
    ]);
  });

  test("[CRI-046] a claim that is not testable needs no reference", () => {
    expect(problemsOf(hole("transfer")).join()).not.toContain("elegance_001");
  });

  test("[CRI-048] a foundational feature has types and no hole", () => {
    expect(problemsOf(hole("convert"), "multi_currency")).toEqual([
      `${PATH}:5 multi_currency is foundational: convert must be a type or an extension point, not a hole.`,
    ]);
    const types = "export interface Currency {\n  readonly code: string;\n}\n";
    expect(problemsOf(types, "multi_currency").filter((line) => line.includes("foundational"))).toEqual([]);
  });

  test("[CRI-044] a body with logic is a problem", () => {
    expect(problemsOf(`${hole("transfer")}\nexport function sneaky(): number {\n  return Math.max(1, 2);\n}\n`)).toHaveLength(1);
  });

  test("calls of functions that the skeleton does not have are problems", () => {
    expect(problemsOf(hole("transfer"), "transfers", [{ function: `${PATH}#transfer`, calls: [`${PATH}#gone`] }])).toEqual([
      `-:1 calls: the skeleton has no function ${PATH}#gone with a hole.`,
    ]);
  });

  test("a clause that does not parse is a problem with file and line", () => {
    expect(problemsOf(hole("transfer", "/**\n * CLAIM_REF: balance_001\n * PURITY: holy\n */\n"))[0]).toMatch(
      /^src\/services\/transfers\.ts:3 /,
    );
  });
});

describe("what keeps a scaffold from becoming a tree", () => {
  const check = (files: { path: string; feature: string | null }[], taken: string[] = []) =>
    scaffoldProblems({ files: files.map((one) => ({ ...one, text: "" })), calls: [] }, sampleSpec(), language, new Set(taken)).map(
      ({ message }) => message,
    );

  test.each([
    "src/other/a.ts",
    "package.json",
    "src/domain/../../.git/config.ts",
    "src/domain/a.js",
    "src/witnesses/a.ts",
    "/src/domain/a.ts",
  ])("a file at %s", (path) => {
    expect(check([{ path, feature: null }])).toEqual(["A file of the skeleton is below src/domain/ or src/services/ and ends in .ts."]);
  });

  test("[CRI-048] a file of a bolt-on feature", () => {
    expect(check([{ path: "src/domain/csv.ts", feature: "csv_export" }])).toEqual([
      "csv_export is a bolt-on: it has no code in the skeleton.",
    ]);
  });

  test("a file that the repository has already, one that is listed twice, an unknown feature, and none at all", () => {
    const path = "src/domain/a.ts";
    expect(check([{ path, feature: null }], [path])).toEqual(["The repository has this file already. Choose another name."]);
    expect(
      check([
        { path, feature: null },
        { path, feature: null },
      ]),
    ).toEqual(["The file is listed twice."]);
    expect(check([{ path, feature: "magic" }])).toEqual(['The specification has no feature "magic".']);
    expect(check([])).toEqual(["The skeleton has no files."]);
  });

  test("calls that name no function", () => {
    const calls = [{ function: "transfer", calls: [] }];
    const files = [{ path: "src/domain/a.ts", feature: null, text: "" }];
    expect(scaffoldProblems({ files, calls }, sampleSpec(), language, new Set()).map(({ message }) => message)).toEqual([
      'calls: "transfer" is not PATH#NAME.',
    ]);
  });
});

describe("a lattice", () => {
  test("bodies take the place of holes; a class method is named with its class", () => {
    const tree = { "src/domain/a.ts": `export class Box {\n  size(): number {\n    ${HOLE}\n  }\n}\n` };
    const id = functionId("src/domain/a.ts", "Box.size");
    expect(holesIn(tree, language)).toEqual([id]);
    const filled = withBodies(tree, new Map([[id, "return 3;"]]), language);
    expect(filled["src/domain/a.ts"]).toContain("return 3;");
    expect(holesIn(filled, language)).toEqual([]);
    expect(holesIn(withBodies(filled, new Map([[id, language.hole]]), language), language)).toEqual([id]);
  });

  test("[CRI-047] the tier report names the level of every witness and invariant", () => {
    const definition = { name: "Positive", description: "", base: "number", invariants: [], source: "" } as never;
    const witnesses = [
      { name: "Positive", definition, level: "distinction" as const, invariants: [{ id: "gt_zero", level: "runtime" as const }] },
      { name: "Sorted", definition, level: "doc" as const, invariants: [] },
    ];
    expect(JSON.parse(tierReport({ witnesses }))).toEqual({
      witnesses: [
        { witness: "Positive", level: "distinction", invariants: [{ id: "gt_zero", level: "runtime" }] },
        { witness: "Sorted", level: "doc", invariants: [] },
      ],
    });
  });

  test("names of modules and subjects", () => {
    expect(moduleOf("src/domain/account.ts#deposit")).toBe("src/domain/account");
    expect(subjectOf("src/domain/account.ts#Account.deposit")).toBe("domain.account.Account.deposit");
    expect(subjectOf("src/my file.ts#a")).toBe("my.file.a");
  });

  test.each(["typescript", "python", "rust", "go", "java", "cpp"] as const)("the target text of %s names hole, folders and style", (id) => {
    const text = targetText({ id, title: "Some language", hole: "HOLE()", extension: ".x" });
    expect(text).toContain("HOLE()");
    expect(text).toContain("src/domain/*.x");
    expect(text).toContain("predicates are");
  });

  test("a project of a language without a template has no files of its own", () => {
    expect(Object.keys(projectTemplate({ id: "typescript" }, "bank"))).toEqual(["package.json", "tsconfig.json"]);
    expect(projectTemplate({ id: "python" }, 'a "b"')["pyproject.toml"]).toContain('name = "a \\"b\\""');
  });
});
