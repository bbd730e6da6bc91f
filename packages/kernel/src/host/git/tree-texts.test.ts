import { expect, test } from "vitest";
import { scratch } from "./testing/scratch.ts";
import { readTreeTexts, type TreeTextLimits } from "./tree-texts.ts";

const LIMITS: TreeTextLimits = { wanted: () => true, maxFiles: 100, maxFileBytes: 1_000, maxBytes: 10_000 };

test("reads the wanted text files of a commit, without links, binary and large files, and nothing of the checkout", async () => {
  const repo = scratch();
  repo.write("own/ümlaut b.ts", "text\n");
  repo.write("own/binary.ts", "a\0b");
  repo.write("own/large.ts", "x".repeat(1_001));
  repo.write("notes/other.md", "not wanted\n");
  repo.link("own/link.ts", "../../../etc/passwd");
  const commit = repo.commit();
  repo.write("own/ümlaut b.ts", "changed on disk\n");
  repo.write("own/uncommitted.ts", "on disk\n");
  const texts = await readTreeTexts(await repo.open(), commit, { ...LIMITS, wanted: (path) => path.startsWith("own/") });
  expect(texts).toEqual({ "own/ümlaut b.ts": "text\n" });
});

test.each([
  ["files", { maxFiles: 1 }],
  ["bytes", { maxBytes: 3 }],
])("refuses a commit with more %s than the limit", async (_what, limit) => {
  const repo = scratch();
  repo.write("a.ts", "one\n");
  repo.write("b.ts", "two\n");
  const commit = repo.commit();
  await expect(readTreeTexts(await repo.open(), commit, { ...LIMITS, ...limit })).rejects.toMatchObject({ code: "repository_unsuitable" });
});
