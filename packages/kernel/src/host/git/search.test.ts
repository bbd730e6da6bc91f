import { describe, expect, test } from "vitest";
import { queryProblem, searchTree } from "./search.ts";
import { FILES, scratch, type Scratch } from "./testing/scratch.ts";

const search = async (repo: Scratch, query: string, literal = false) =>
  searchTree(await repo.open(), repo.git("rev-parse", "HEAD^{tree}"), { query, literal });

describe("[FEA-084] a search in a tree", () => {
  test("names file and line of each match", async () => {
    expect(await search(scratch(), "add\\(")).toEqual({
      matches: [
        { path: "src/add.ts", line: 1, text: "export function add(a: number, b: number): number {" },
        { path: "src/index.ts", line: 3, text: "export const answer = add(40, 2);" },
      ],
      truncated: false,
    });
    expect(await search(scratch(), "nothing of the kind")).toEqual({ matches: [], truncated: false });
  });

  test("matches a literal query exactly", async () => {
    expect((await search(scratch(), "add(40, 2)", true)).matches).toEqual([
      { path: "src/index.ts", line: 3, text: "export const answer = add(40, 2);" },
    ]);
    expect((await search(scratch(), "a.d", true)).matches).toEqual([]);
  });

  test.each(["--open-files-in-pager=touch pwned", "-O", "-f/etc/passwd", "--all-match", "HEAD"])(
    "attack 22: %s is text to find, not an option",
    async (query) => {
      const repo = scratch({ ...FILES, "notes.txt": `one\n${query}\n` });
      expect((await search(repo, query, true)).matches).toEqual([{ path: "notes.txt", line: 2, text: query }]);
      expect(repo.exists("pwned")).toBe(false);
    },
  );

  test("shows neither binary files nor uncommitted ones, and runs no driver", async () => {
    const repo = scratch({ ...FILES, "image.bin": "needle\0\x01", "drawn.txt": "needle\n", ".gitattributes": "*.txt diff=evil\n" });
    repo.git("config", "diff.evil.textconv", "touch pwned");
    repo.git("config", "grep.fallbackToNoIndex", "true");
    repo.write("untracked.txt", "needle\n");
    expect((await search(repo, "needle")).matches.map(({ path }) => path)).toEqual(["drawn.txt"]);
    expect(repo.exists("pwned")).toBe(false);
  });

  test("handles names with spaces, quotes and tabs, and strips line ends", async () => {
    const repo = scratch({ ...FILES, 'a "b" \t.txt': "needle\r\n" });
    expect((await search(repo, "needle")).matches).toEqual([{ path: 'a "b" \t.txt', line: 1, text: "needle" }]);
  });

  test.each([
    ["many matches", `${"needle\n".repeat(2_000)}`, 500],
    ["more output than is read", `${`needle ${"x".repeat(5_000)}\n`.repeat(400)}`, expect.any(Number)],
    ["a long line", `needle ${"x".repeat(5_000)}\n`, 1],
  ])("is bounded: %s", async (_what, content, count) => {
    const { matches, truncated } = await search(scratch({ "big.txt": content }), "needle");
    expect([matches.length, truncated]).toEqual([count, true]);
    expect(Math.max(...matches.map(({ text }) => text.length))).toBeLessThanOrEqual(500);
  });

  test.each([
    ["not an expression", "add("],
    ["a reference to a group (attack 54)", "(a*)*\\1b"],
    ["repetitions that multiply (attack 54)", "((a{1,255}){1,255}){1,255}"],
    ["several lines", "one\ntwo"],
    ["a NUL", "one\0two"],
    ["nothing", ""],
    ["too long", "x".repeat(1_001)],
  ])("refuses %s, with a suggestion", async (_what, query) => {
    await expect(search(scratch(), query)).rejects.toMatchObject({
      code: "schema_validation_failed",
      details: { violations: [{ pointer: "/query" }], suggested_next_actions: [expect.stringContaining("literal")] },
    });
  });

  test("attack 54: an expression that makes other engines backtrack forever ends", async () => {
    const repo = scratch({ "evil.txt": `${"a".repeat(50_000)}!\n` });
    expect((await search(repo, "^(a+)+$")).matches).toEqual([]);
    expect((await search(repo, "^(a|aa)+$")).matches).toEqual([]);
  });
});

test("a search that takes too long is stopped, with a suggestion", async () => {
  const repo = scratch({ "evil.txt": `${"ab".repeat(20_000)}\n` });
  const opened = await repo.open();
  const tree = repo.git("rev-parse", "HEAD^{tree}");
  await expect(searchTree(opened, tree, { query: "(a|b|ab)*c", literal: false, timeoutMs: 300 })).rejects.toMatchObject({
    code: "schema_validation_failed",
    message: expect.stringContaining("it took longer than 0.3 seconds"),
    details: {
      violations: [{ pointer: "/query" }],
      suggested_next_actions: [expect.stringContaining("simpler"), expect.stringContaining("literal")],
    },
  });
  const gone = AbortSignal.abort(new Error("not wanted any more"));
  await expect(searchTree(opened, tree, { query: "a", literal: true, signal: gone })).rejects.toThrow("not wanted any more");
});

test.each([
  ["\\\\1", null],
  ["\\\\\\1", "it refers back to a group"],
  ["a{3}b{2,4}", null],
  ["a{,500}", null],
  ["(a{100}){100}{100}", "its repetitions expand too far"],
  ["{}", null],
])("%s is judged: %s", (query, problem) => {
  expect(queryProblem(query, false)).toBe(problem);
  expect(queryProblem(query, true)).toBeNull();
});
