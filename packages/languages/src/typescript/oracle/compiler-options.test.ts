import { describe, expect, onTestFinished, test } from "vitest";
import type { SourceTree } from "../../adapter.ts";
import { checkedOptions, compilerOptionsOf, extendedConfigs } from "./compiler-options.ts";
import { openOracle } from "./oracle.ts";
import { strictProblems } from "./strict.ts";

const config = (compilerOptions: object, more: object = {}) => JSON.stringify({ compilerOptions, ...more });

describe("options of a repository", () => {
  test("are read through extends, and the nearest one counts", () => {
    const tree = {
      "tsconfig.json": `// ours\n{ "extends": ["./config/base", "./config/more.json"], "compilerOptions": { "target": "es2022", }, }`,
      "config/base.json": config({ strict: true, target: "es2017", lib: ["es2017"] }, { extends: "../root.json" }),
      "config/more.json": config({ lib: ["es2022"] }),
      "root.json": config({ noUncheckedIndexedAccess: true, strict: false }),
    };
    expect(compilerOptionsOf(tree)).toEqual({ strict: true, target: "es2022", lib: ["es2022"], noUncheckedIndexedAccess: true });
    expect(strictProblems(tree)).toEqual([]);
    expect(extendedConfigs("config/base.json", tree["config/base.json"])).toEqual(["root.json"]);
    expect(extendedConfigs("tsconfig.json", `{ "extends": "@tsconfig/strictest" }`)).toEqual(["@tsconfig/strictest"]);
  });

  test("that extend themselves, or what does not parse, are read to the end", () => {
    const loop = { "tsconfig.json": config({ strict: true }, { extends: "./tsconfig.json" }) };
    expect(compilerOptionsOf(loop)).toEqual({ strict: true });
    expect(compilerOptionsOf({ "tsconfig.json": "{" })).toBeNull();
    expect(compilerOptionsOf({})).toBeNull();
  });

  test("that read files, or relax a check, have no effect", () => {
    const own = {
      strict: false,
      noEmit: false,
      paths: { "*": ["/etc/*"] },
      plugins: [{ name: "x" }],
      typeRoots: ["/etc"],
      types: ["jest"],
    };
    expect(checkedOptions({ "tsconfig.json": config(own) })).toEqual({ types: [] });
  });
});

describe("a body that our own options accept", () => {
  async function problemsOf(own: object, text: string, more: SourceTree = {}) {
    const oracle = openOracle({ "tsconfig.json": config({ strict: true, ...own }), "src/a.ts": text, ...more });
    onTestFinished(() => oracle.close());
    return (await oracle.check()).problems.map(({ message }) => message);
  }

  const INDEXED = "export function first(list: readonly string[]): string {\n  return list[0];\n}\n";
  const OPTIONAL = "export interface A { b?: string }\nexport function make(): A {\n  return { b: undefined };\n}\n";

  test.each([
    ["noUncheckedIndexedAccess", { noUncheckedIndexedAccess: true }, INDEXED, "Type 'string | undefined' is not assignable"],
    ["exactOptionalPropertyTypes", { exactOptionalPropertyTypes: true }, OPTIONAL, "exactOptionalPropertyTypes"],
    ["an older target", { target: "es2022" }, "export const a = Object.groupBy([1], String);\n", "groupBy"],
    [
      "noImplicitReturns",
      { noImplicitReturns: true },
      "export function f(a: boolean): number | undefined {\n  if (a) return 1;\n}\n",
      "Not all code paths",
    ],
    ["no types of Node", { types: [] }, "export const a = process.pid;\n", "process"],
    ["an option that does not exist", { target: "es1" }, "export const a = 1;\n", "--target"],
  ])("fails under %s of the repository", async (_name, own, text, message) => {
    if (!("target" in own && own.target === "es1")) expect(await problemsOf({}, text)).toEqual([]);
    expect((await problemsOf(own, text)).join("\n")).toContain(message);
  });

  test("fails under verbatimModuleSyntax if it imports a type as a value", async () => {
    const more = { "package.json": '{ "type": "module" }', "src/b.ts": "export interface B { c: string }\n" };
    const text = 'import { B } from "./b.ts";\nexport const b: B = { c: "" };\n';
    expect(await problemsOf({}, text, more)).toEqual([]);
    expect((await problemsOf({ verbatimModuleSyntax: true }, text, more)).join("\n")).toContain("type-only import");
  });

  test.each([{ module: "preserve" }, { moduleResolution: "bundler" }, { module: "nodenext", target: "es2023" }])(
    "passes under %j",
    async (own) => {
      const text = 'import { b } from "./b.ts";\nexport const a: number = b;\n';
      expect(await problemsOf(own, text, { "src/b.ts": "export const b = 1;\n" })).toEqual([]);
    },
  );
});
