import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { refusalOf } from "../testing/samples.ts";
import { listTree } from "./source.ts";
import { packYard } from "./testing/repository.ts";

test("a submodule is marked as such, and the listing of a missing tree is not cached", async () => {
  const other = await packYard({ "a.ts": "a" });
  other.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  const tree = other.git("write-tree").trim();
  expect((await listTree(other.repo, tree)).others).toEqual([{ path: "sub", reason: "a submodule" }]);
  for (const round of [1, 2])
    expect((await refusalOf(() => listTree(other.repo, "2".repeat(40)))).code, `round ${round}`).toBe("git_failed");
});

test("a name that is not UTF-8 is omitted and reported", async () => {
  const other = await packYard({});
  const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: other.root, input: "x" }).toString().trim();
  const line = Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), Buffer.from([0xff, 0x61])]);
  const tree = execFileSync("git", ["mktree"], { cwd: other.root, input: line }).toString().trim();
  expect(await listTree(other.repo, tree)).toMatchObject({ files: [], others: [{ reason: "its name is not UTF-8" }] });
});
