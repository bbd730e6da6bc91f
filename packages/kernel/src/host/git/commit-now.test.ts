import { expect, test } from "vitest";
import { commitNow } from "./commit-now.ts";
import { scratch } from "./testing/scratch.ts";

test("returns the current commit of HEAD and of a branch, and null for a missing branch", async () => {
  const user = scratch();
  const repo = await user.open();
  const now = () => Promise.all(["HEAD", "refs/heads/main", "refs/heads/mine"].map((name) => commitNow(repo, name)));
  const first = user.git("rev-parse", "HEAD");
  expect(await now()).toEqual([first, first, null]);
  expect(await now()).toEqual([first, first, null]);
  user.git("switch", "--quiet", "--create", "mine");
  const second = user.commit("second");
  expect(await now()).toEqual([second, first, second]);
  user.git("pack-refs", "--all");
  user.git("switch", "--quiet", "--detach", "main");
  user.git("branch", "--quiet", "--force", "main", second);
  user.git("branch", "--quiet", "--delete", "--force", "mine");
  expect(await now()).toEqual([first, second, null]);
});
