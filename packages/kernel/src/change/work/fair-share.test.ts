import { expect, test } from "vitest";
import { fairShare } from "./fair-share.ts";

const numbered = (folder: string, count: number) => Array.from({ length: count }, (_, n) => `${folder}${n}`);

test("a folder with many files takes nothing from the others, at any depth", () => {
  const few = ["src/a", "src/lib/b", "src/lib/c", "top"];
  for (const many of ["src/out/", "src/lib/deep/", "junk/", ""]) {
    const chosen = fairShare([...numbered(many, 5_000), ...few], 40);
    expect(chosen).toHaveLength(40);
    expect(chosen, many).toEqual(expect.arrayContaining(many === "" ? few.slice(0, 3) : few));
  }
});

test("never more than the number, and everything if that suffices", () => {
  const paths = numbered("f", 300).map((folder) => `${folder}/x`);
  expect(fairShare(paths, 100)).toHaveLength(100);
  expect(fairShare(paths, 300)).toEqual(paths);
  expect(fairShare(paths, 0)).toEqual([]);
});
