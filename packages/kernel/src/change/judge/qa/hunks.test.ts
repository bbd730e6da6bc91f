import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { linesBetween } from "../../../host/git/change.ts";
import type { Repository } from "../../../host/git/repository.ts";
import { plainGit, scratch, type Scratch } from "../../../host/git/testing/scratch.ts";
import { hunksOf, type DiffHunk } from "./hunks.ts";

let user: Scratch;
let repo: Repository;
beforeAll(async () => {
  user = scratch();
  repo = await user.open();
});

interface File {
  readonly content: string | Buffer;
  readonly mode?: string;
}

function tree(files: Readonly<Record<string, string | Buffer | File>>): string {
  const lines = Object.entries(files).map(([path, given]) => {
    const { content, mode = "100644" }: File = typeof given === "string" || Buffer.isBuffer(given) ? { content: given } : given;
    return `${mode} blob ${plainGit(user.root, ["hash-object", "-w", "--stdin"], content).trim()}\t${path}\n`;
  });
  return plainGit(user.root, ["mktree"], lines.join("")).trim();
}

const between = async (...sides: [Parameters<typeof tree>[0], Parameters<typeof tree>[0]]) =>
  hunksOf(await linesBetween(repo, tree(sides[0]), tree(sides[1])));
const shown = (hunks: readonly DiffHunk[]) =>
  hunks.map(({ path, hunk: { change_type, start_line, end_line } }) => `${path} ${change_type} ${start_line}-${end_line}`);

describe("[FEA-057] the hunks of a diff, with lines of the new file", () => {
  test.each<[string, Parameters<typeof tree>[0], Parameters<typeof tree>[0], string[]]>([
    ["nothing", { f: "a\n" }, { f: "a\n" }, []],
    ["lines changed, added and removed", { f: "a\nb\nc\nd\ne\n" }, { f: "a\nB\nC\nc\nd\n" }, ["f modified 2-3", "f deleted 5-5"]],
    ["a line added in between", { f: "a\nb\n" }, { f: "a\nnew\nb\n" }, ["f added 2-2"]],
    ["the first line removed", { f: "a\nb\n" }, { f: "b\n" }, ["f deleted 0-0"]],
    ["a new file", {}, { f: "a\nb\n" }, ["f added 1-2"]],
    ["a removed file", { f: "a\nb\n" }, {}, ["f deleted 0-0"]],
    ["an empty file, new and removed", { old: "" }, { new: "" }, ["new added 0-0", "old deleted 0-0"]],
    ["a missing newline at the end", { f: "a\n" }, { f: "a" }, ["f modified 1-1"]],
    ["a binary file", { f: Buffer.from([0, 1]) }, { f: Buffer.from([0, 2]) }, ["f binary 0-0"]],
    ["a new binary file", {}, { f: Buffer.from([0, 1]) }, ["f binary 0-0"]],
    ["a mode", { f: "a\n" }, { f: { content: "a\n", mode: "100755" } }, ["f mode 0-0"]],
    ["a mode and a line", { f: "a\n" }, { f: { content: "b\n", mode: "100755" } }, ["f mode 0-0", "f modified 1-1"]],
    ["a file that became a link", { f: "a\n" }, { f: { content: "a", mode: "120000" } }, ["f deleted 0-0", "f added 1-1"]],
    ["names that git would quote", { 'sp "ä\t\\': "a\n" }, { 'sp "ä\t\\': "b\n" }, ['sp "ä\t\\ modified 1-1']],
    [
      "lines that look like a diff",
      { f: "a\n", g: "x\n" },
      { f: "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/f\n", g: "y\n" },
      ["f modified 1-3", "g modified 1-1"],
    ],
  ])("%s", async (_what, before, after, wanted) => {
    expect(shown(await between(before, after))).toEqual(wanted);
  });

  test("a change without hunks in git's output is an error, not skipped", () => {
    const entry = { path: "f", status: "M", oldMode: "100644", newMode: "100644", oldOid: "a", newOid: "b" } as const;
    expect(() => hunksOf({ entries: [entry], binary: new Set(), text: "" })).toThrow("git listed 1 changes but printed 0");
  });
});

describe("[FEA-058] a hunk is identified by its text, not by its position", () => {
  const line = fc.constantFrom("a", "b", "c", "diff --git x", "@@ -1 +1 @@", "+", "-", "\\ No newline at end of file", "", "é");
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((item) => `${item}\n`).join(""));

  test("the same change has the same keys at any position, and moves with the lines before it", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, fc.nat(5), async (before, after, shift) => {
        const above = "above\n".repeat(shift);
        const [plain, shifted] = [await between({ f: before }, { f: after }), await between({ f: above + before }, { f: above + after })];
        expect(shifted.map(({ key }) => key)).toEqual(plain.map(({ key }) => key));
        expect(shifted.map(({ hunk }) => hunk.start_line)).toEqual(plain.map(({ hunk }) => hunk.start_line + shift));
      }),
      { numRuns: 25 },
    );
  });

  test("two different changes of the same lines have different keys", async () => {
    const [one] = await between({ f: "a\n" }, { f: "b\n" });
    const [two] = await between({ f: "a\n" }, { f: "c\n" });
    const [three] = await between({ f: "x\n" }, { f: "b\n" });
    expect(new Set([one?.key, two?.key, three?.key]).size).toBe(3);
  });
});
