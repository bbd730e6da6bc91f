import { describe, expect, test } from "vitest";
import { inspectFiles, inspectPaths } from "./inspect-files.ts";

const PATHS = ["README.md", "docs/a.md", "docs/b c.md", "src/a.js"];

function inspect(path: string, text: string, base: string | null = null) {
  const results = inspectFiles([{ path, text, base }], [...PATHS, path]);
  return Object.fromEntries(results.map(({ check_name, passed, output }) => [check_name, passed ? "passed" : output]));
}

describe("[FOR-062] Tier 1 without a tool of the project", () => {
  test.each([
    ["a.json", '{"a": 1}', '{"a": 1,}', "syntax-json"],
    ["a.yaml", "a: [1, 2]\n---\nb: 1\n", "a: [1, 2\n", "syntax-yaml"],
    ["a.toml", "a = 1\n", "a = \n", "syntax-toml"],
    ["docs/new.md", "```js\n# x\n```\n", "```js\n# x\n", "syntax-markdown"],
    ["docs/new.md", "---\ntitle: x\n---\ntext", "---\ntitle: [x\n---\ntext", "syntax-markdown"],
  ])("parses %s", (path, right, wrong, name) => {
    expect(inspect(path, right)[name]).toBe("passed");
    expect(inspect(path, wrong)[name]).toContain(`${path}: `);
  });

  test.each([
    ["chart/values.yaml", "a: {{ .Values.a }}\n"],
    ["tsconfig.json", "{ // why\n}\n"],
    ["cloud.yaml", "a: !Ref b\n"],
  ])("does not refuse %s, which is more than its format", (path, text) => {
    expect(Object.values(inspect(path, text))).toEqual(["passed", "passed"]);
  });

  test("finds a merge conflict in any file, and no rule of a heading", () => {
    const conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
    expect(inspect("src/b.js", conflict)).toEqual({ "diagnostics-javascript": "src/b.js: it has an unresolved merge conflict" });
    expect(inspect("docs/new.md", "Title\n=======\n")["diagnostics-markdown"]).toBe("passed");
  });

  test("finds a link that leads to no file, unless the base had it, or it is an example, generated or elsewhere", () => {
    expect(inspect("docs/new.md", "[x](missing.md) [y](../README.md#top) [z](b%20c.md) [w](../src)")["diagnostics-markdown"]).toBe(
      "docs/new.md: the link to missing.md leads to no file",
    );
    expect(inspect("docs/new.md", "[x](missing.md)", "[x](missing.md)")["diagnostics-markdown"]).toBe("passed");
    const others =
      "`[x](no.md)` [a](https://x.example/no) [b](#here) [c](/no) [d](../dist/no.md) [e](../../no.md)\n\n~~~\n[x](no.md)\n~~~\n";
    expect(inspect("docs/new.md", others)["diagnostics-markdown"]).toBe("passed");
  });

  test("has one check for all files of a kind, and skips what is not text", () => {
    const files = ["a.json", "b.json"].map((path) => ({ path, text: "{", base: null }));
    const results = inspectFiles([...files, { path: "c.json", text: null, base: null }], PATHS);
    expect(results.map(({ check_name }) => check_name)).toEqual(["diagnostics-json", "syntax-json"]);
    expect(results[1]?.output.split("\n").map((line) => line.split(":")[0])).toEqual(["a.json", "b.json"]);
  });
});

test("planned paths must not be folders, lie below files, or differ from a file only in case", () => {
  expect(inspectPaths(["src/a.js", "src/b/c.js"], PATHS)).toEqual({
    check_name: "diagnostics-paths",
    passed: true,
    output: "src/a.js exists\nsrc/b/c.js is new",
  });
  expect(inspectPaths(["docs", "src/a.js/b.js", "readme.md"], PATHS)).toMatchObject({
    passed: false,
    output: "docs: it is a folder\nsrc/a.js/b.js: src/a.js is a file\nreadme.md: it differs from README.md only in case",
  });
});
