import { SlipwayError } from "../errors.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Workplace } from "../provider.ts";
import { packWorkplace } from "../testing/pack-workplace.ts";
import { treeTools } from "./tools.ts";

let place: Workplace;
beforeAll(async () => {
  const files = {
    "src/a.txt": "one\ntwo\nthree\n",
    binary: Uint8Array.of(0xff, 0xfe, 0x00),
    "long.txt": "x".repeat(99).concat("\n").repeat(1000),
    "one-line.txt": "y".repeat(70_000),
    "fixed.txt": "fixed\n",
  };
  const everything = { path: ".", level: "FULL", permission: "write", reason: "all" } as const;
  place = (await packWorkplace(files, [everything, { ...everything, path: "fixed.txt", permission: "read" }])).workplace;
});

async function use(name: string, input: unknown, tree = place.tree): Promise<string> {
  const { execute } = treeTools(tree)[name]!;
  return (await execute!(input, {} as never)) as string;
}

test("reads a file, whole or in parts", async () => {
  expect(await use("read_file", { path: "src/a.txt" })).toBe("one\ntwo\nthree\n");
  expect(await use("read_file", { path: "src/a.txt", from_line: 2, lines: 1 })).toBe("two\n");
  expect(await use("read_file", { path: "src/a.txt", from_line: 3 })).toBe("three\n");
});

test("cuts a long file and says where to continue", async () => {
  const first = await use("read_file", { path: "long.txt" });
  const [, next] = /go on with from_line (\d+)/.exec(first) ?? [];
  expect(Number(next)).toBe(601);
  const second = await use("read_file", { path: "long.txt", from_line: 601 });
  expect(second).toBe("x".repeat(99).concat("\n").repeat(400));
});

test("a line that is too long for one part is cut, and the next one can be read", async () => {
  expect(await use("read_file", { path: "one-line.txt" })).toMatch(/go on with from_line 2\.\]$/);
});

test("reports binary files as such", async () => {
  await expect(use("read_file", { path: "binary" })).rejects.toThrow("binary is not a text file (3 bytes).");
});

test("writes and edits", async () => {
  expect(await use("write_file", { path: "new/b.txt", content: "äb\n" })).toBe("Wrote 4 bytes to new/b.txt.");
  expect(await use("edit_file", { path: "new/b.txt", before: "b", after: "c" })).toBe("Edited new/b.txt.");
  expect(readFileSync(join(place.folder, "new", "b.txt"), "utf8")).toBe("äc\n");
  await expect(use("edit_file", { path: "new/b.txt", before: "zzz", after: "" })).rejects.toThrow(/does not contain the text to replace/);
});

test("lists, finds and searches", async () => {
  expect(await use("ls", { folder: "." })).toContain("src/");
  expect(await use("ls", { folder: "src" })).toBe("src/a.txt (14 bytes)");
  expect(await use("glob", { pattern: "src/**/*.txt" })).toBe("src/a.txt");
  expect(await use("glob", { pattern: "*.none" })).toBe("Nothing.");
  expect(await use("grep", { pattern: "^t", path: "src/a.txt" })).toBe("src/a.txt:2: two\nsrc/a.txt:3: three");
  expect(await use("grep", { pattern: "^one$" })).toBe("src/a.txt:1: one");
});

test("a long list says how many more there are", async () => {
  const glob = () => Promise.resolve(Array.from({ length: 1050 }, (_, index) => `many/${index}`));
  expect(await use("glob", { pattern: "many/*" }, { ...place.tree, glob })).toMatch(/many\/999\n\[50 more\]$/);
});

test("removes a file, once", async () => {
  await use("write_file", { path: "gone/c.txt", content: "x" });
  expect(await use("delete_file", { path: "gone/c.txt" })).toBe("Removed gone/c.txt.");
  await expect(use("delete_file", { path: "gone/c.txt" })).rejects.toThrow(/There is no "gone\/c\.txt"/);
  await expect(use("delete_file", { path: "gone" })).rejects.toThrow(/is not a file/);
  await expect(use("delete_file", { path: "fixed.txt" })).rejects.toThrow(/is read-only here/);
});

test("a refusal has a next action; a bug is thrown", async () => {
  await expect(use("write_file", { path: "fixed.txt", content: "" })).rejects.toThrow(/is read-only here\. Change /);
  const refusing = (error: Error) => ({ ...place.tree, ls: () => Promise.reject(error) });
  const refusal = new SlipwayError("policy_violation", "No.", { suggested_next_actions: ["Look elsewhere."] });
  await expect(use("ls", { folder: "." }, refusing(refusal))).rejects.toThrow("No. Look elsewhere.");
  await expect(use("ls", { folder: "." }, refusing(new TypeError("bug")))).rejects.toThrow(TypeError);
});
