import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deltaOf } from "../contracts/delta.ts";
import { PARSE_DURATION } from "../contracts/testing/samples.ts";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { entryName } from "./exports.ts";
import { hollowed } from "./hollow.ts";
import { openTypeScript } from "./reader.ts";
import { differences as differ, ERROR, GOOD, reading as read } from "./testing/readings.ts";

const typescript = openTypeScript();
afterAll(() => typescript.close());
const differences = (code: string) => differ(typescript, code);
const reading = (code: string) => read(typescript, code);

/** The compilers that this process has started. */
function compilers(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ").map(Number);
  return children.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("typescript");
    } catch {
      return false;
    }
  });
}

describe("a hollow module", () => {
  test("has the same exports and does nothing", async () => {
    const files = {
      "implementation/index.ts": `${GOOD}export const LIMIT = 5;\nexport default parseDuration;`,
      "implementation/other.ts": "",
      "tests/a.test.ts": "",
    };
    const { exported } = typescript.readModule({ files }, PARSE_DURATION);
    const empty = hollowed(files, exported);
    expect(Object.keys(empty).toSorted()).toEqual(["implementation/index.ts", "tests/a.test.ts"]);
    const folder = mkdtempSync(join(tmpdir(), "slipway-hollow-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "index.mjs"), empty["implementation/index.ts"]!);
    const module = (await import(join(folder, "index.mjs"))) as Record<string, unknown>;
    expect(Object.keys(module).toSorted()).toEqual(["DurationError", "LIMIT", "default", "parseDuration"]);
    expect(module["parseDuration"]).toThrow("there is nothing in this module");
    expect(module["LIMIT"]).toBeUndefined();
    expect(new (module["DurationError"] as new () => Error)()).toBeInstanceOf(Error);
  });
});

describe("what else is read", () => {
  test("imports, tests and exported names", () => {
    const found = typescript.readModule(
      {
        files: {
          "implementation/index.ts": `import { half } from "#MM-half";\nimport type { Thing } from "./thing.ts";\nexport { DurationError } from "./thing.ts";\nimport { DurationError } from "./thing.ts";\nexport function parseDuration(text: string): number { if (text === "") throw new DurationError(); const thing: Thing = 1; void import("node:os"); return half(thing); }`,
          "implementation/thing.ts": `export type Thing = number;\n${ERROR}`,
          "implementation/computed.ts": `declare function require(name: string): unknown; require("x" + 1);\nexport {};`,
          "tests/a.test.ts": `import { test } from "node:test";\nimport { parseDuration } from "../implementation/index.ts";\ntest("one", () => void parseDuration("1"));\ntest.skip(\`two\`, () => {});\ntest("a" + 1, () => {});\ntest();`,
          "notes.md": "not code",
        },
        dependencies: {
          "MM-half": { "implementation/index.ts": "export const half = (n: number): number => n / 2;", "tests/x.test.ts": "" },
        },
      },
      PARSE_DURATION,
    );
    expect(found.exported.map(({ name }) => name).toSorted()).toEqual(["DurationError", "parseDuration"]);
    expect(found.tests).toEqual(["one", "two", null, null].map((name) => ({ file: "tests/a.test.ts", name })));
    expect(found.imports.map(({ file, specifier }) => `${file} ${specifier}`).toSorted()).toEqual([
      "implementation/computed.ts (computed)",
      "implementation/index.ts #MM-half",
      "implementation/index.ts ./thing.ts",
      "implementation/index.ts ./thing.ts",
      "implementation/index.ts ./thing.ts",
      "implementation/index.ts node:os",
      "tests/a.test.ts ../implementation/index.ts",
      "tests/a.test.ts node:test",
    ]);
    expect(deltaOf(PARSE_DURATION, found.delivered)).toEqual([]);
  });

  test("only the types of Node and of the language can be imported from the machine", () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-secret-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "secret.ts"), "export const secret = 'a password';\n");
    const away = `../../..${folder}/secret.ts`;
    const found = reading(`import { secret } from ${JSON.stringify(away)};\nexport const leaked: typeof secret = secret;\n${GOOD}`);
    expect(found.problems[0]).toContain("Cannot find module");
    expect(JSON.stringify(found)).not.toContain("a password");
  });

  test("named parts with their text", () => {
    const elements = typescript.elementsOf({
      "implementation/index.ts": `export const A = 1;\nconst { b } = { b: 2 };\nexport function c() { return b; }\nexport class D {}\nexport type E = 1;\nA;\n`,
      "tests/a.test.ts": `import { test } from "node:test";\ntest("works", () => {});\n`,
    });
    expect(Object.fromEntries(elements)).toEqual({
      A: "export const A = 1;",
      c: "export function c() { return b; }",
      D: "export class D {}",
      E: "export type E = 1;",
      works: 'test("works", () => {})',
    });
  });

  test.each([
    ["parse duration", "parseDuration"],
    ["Parse-Duration_again", "parseDurationAgain"],
    ["parseDuration", "parseDuration"],
    ["  URL of 2 ", "uRLOf2"],
  ])("%s is called %s", (name, expected) => expect(entryName(name)).toBe(expected));

  test("a compiler that was killed starts again", () => {
    // Other files of this worker may have left compilers.
    const others = compilers();
    const own = openTypeScript();
    onTestFinished(() => own.close());
    expect(differ(own, GOOD)).toEqual([]);
    const started = compilers().filter((pid) => !others.includes(pid));
    expect(started).toHaveLength(1);
    process.kill(started[0]!, "SIGKILL");
    expect(differ(own, GOOD)).toEqual([]);
  });

  test("a compiler that was closed starts again", () => {
    typescript.close();
    expect(differences(GOOD)).toEqual([]);
    typescript.close();
    typescript.close();
  });
});
