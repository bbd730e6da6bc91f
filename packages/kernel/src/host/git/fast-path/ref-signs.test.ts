import { expect, test } from "vitest";
import { refSigns } from "./ref-signs.ts";
import { scratch } from "../testing/scratch.ts";

const commit = (user: ReturnType<typeof scratch>) => user.git("commit", "--quiet", "--allow-empty", "--message=another");

test("the signs change exactly when HEAD or a named ref moves, however it is stored", async () => {
  const user = scratch();
  const repo = await user.open();
  const signs = () => refSigns(repo, ["refs/heads/main"]);
  const seen = [signs()];
  const expectNew = () => {
    expect(seen).not.toContain(signs());
    seen.push(signs());
  };
  expect(signs()).toBe(seen[0]);
  commit(user);
  expectNew();
  user.git("switch", "--quiet", "--create", "mine");
  expectNew();
  commit(user);
  expectNew();
  user.git("pack-refs", "--all");
  expectNew();
  user.git("update-ref", "refs/heads/main", "mine");
  expectNew();
  user.git("switch", "--quiet", "--detach", "main");
  expectNew();
  user.git("branch", "unrelated");
  expect(signs()).toBe(seen.at(-1));
});

test("a symbolic ref is followed", async () => {
  const user = scratch();
  user.git("symbolic-ref", "refs/heads/trunk", "refs/heads/main");
  user.git("switch", "--quiet", "--detach", "main");
  const repo = await user.open();
  const before = refSigns(repo, ["refs/heads/trunk"]);
  user.git("update-ref", "refs/heads/main", user.git("commit-tree", "-m", "x", "HEAD^{tree}"));
  expect(refSigns(repo, ["refs/heads/trunk"])).not.toBe(before);
});
