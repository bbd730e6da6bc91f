import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anchorTree } from "../../host/git/anchor.ts";
import { anchoredCommit, isAnchorOf, listAnchors, type ListedAnchor } from "../../host/git/anchors.ts";
import type { ActorType } from "../../record/operations/operation.ts";
import { restoreOperation } from "./restore.ts";
import { callAs, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, PERSON, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let anchors: ListedAnchor[];
let commit: string;
beforeEach(async () => {
  scratch = await openScratchKernel();
  await lettersOn(scratch).built();
  anchors = await listAnchors(scratch.kernel.repository);
  commit = anchors[0]?.commit ?? "";
});
afterEach(() => scratch.close());

const head = (branch: string) => scratch.git("rev-parse", "--verify", `refs/heads/${branch}`).trim();
const refs = () => scratch.git("for-each-ref", "refs/heads");
const restore = (branch: string | null, wanted = commit, actor: ActorType = "person") =>
  scratch.records.door.perform(restoreOperation(scratch.kernel.repository), { type: actor, id: PERSON.id }, callAs().operationId, {
    commit: wanted,
    slug: "letters",
    branch,
  });
/** As after a kill between creating the branch and recording the operation. */
const redriven = (branch: string | null) =>
  restoreOperation(scratch.kernel.repository).effect?.({ commit, slug: "letters", branch }, {
    ...callAs(),
    at: 0,
    redriven: true,
  } as never);

describe("anchors", () => {
  test("are listed with run, step, tree and time, newest first", async () => {
    const { repository } = scratch.kernel;
    const { tree } = await lettersOn(scratch).row();
    expect(anchors[0]).toMatchObject({ run: "run1", tree, message: expect.stringMatching(/^letters: /) as string });
    expect(anchors[0]?.parent).toBe(head("main"));
    for (const [step, at] of [
      ["old/1", 1_000_000],
      ["new 1", 4e12],
      ["new 2", 4e12],
    ] as const)
      await anchorTree(repository, ".worktrees/other", tree, { run: "r/feature:x", step, message: "other: m", at });
    const listed = await listAnchors(repository);
    expect(listed.map(({ step }) => step)).toEqual(["new 2", "new 1", anchors[0]?.step, "old/1"]);
    expect(listed.at(-1)).toMatchObject({ run: "r/feature:x", parent: null, at: 1_000_000 });
  });

  test.each<readonly [boolean, string, string]>([
    [true, "run1/feature:a", "anything"],
    [true, "run1", "a: bytes found"],
    [false, "run1/feature:aa", "anything"],
    [false, "run1/feature:b/x", "b: a: m"],
    [false, "run1", "ab: bytes found"],
  ])("belong to feature a: %s for run %s and message %s", (expected, run, message) => {
    expect(isAnchorOf("a", { run, message })).toBe(expected);
  });

  test("are found by a short name, and no other commit is", async () => {
    const { repository } = scratch.kernel;
    const loose = scratch.git("commit-tree", "-m", "nobody's", "main^{tree}").trim();
    expect(await anchoredCommit(repository, commit.slice(0, 10))).toBe(commit);
    // The base is an ancestor of every anchor.
    expect(await anchoredCommit(repository, head("main"))).toBe(head("main"));
    for (const name of [loose, "main", "HEAD", `${commit}~1`, "--all", "f".repeat(40), ""])
      expect(await anchoredCommit(repository, name), name).toBeNull();
  });
});

describe("restoring", () => {
  test("puts an anchor on a branch of the given name, and changes no other branch and no file", async () => {
    const before = refs();
    const status = scratch.git("status", "--porcelain");
    expect(await restore("mine/again")).toEqual({ branch: "mine/again", commit });
    expect(head("mine/again")).toBe(commit);
    scratch.git("branch", "-D", "mine/again");
    expect([refs(), scratch.git("status", "--porcelain")]).toEqual([before, status]);
  });

  test.each(["main", "letters", "-f", "a..b", "refs/heads/x y", "", "HEAD"])(
    "refuses an existing or invalid branch: %j",
    async (branch) => {
      const before = refs();
      await expect(restore(branch)).rejects.toMatchObject({ code: "invalid_cli_args" });
      expect(refs()).toBe(before);
    },
  );

  test("without a name uses the next free one, also if a branch is called restored", async () => {
    expect((await restore(null)).branch).toBe("restored/letters-1");
    expect((await restore(null)).branch).toBe("restored/letters-2");
    scratch.git("branch", "-D", "restored/letters-1", "restored/letters-2");
    scratch.git("branch", "restored");
    expect(await restore(null)).toEqual({ branch: "restored-letters-1", commit });
  });

  test("accepts only commits reachable from an anchor, by full name, and only from a person", async () => {
    const loose = scratch.git("commit-tree", "-m", "nobody's", "main^{tree}").trim();
    for (const name of [loose, commit.slice(0, 10), "main"])
      await expect(restore("mine", name)).rejects.toMatchObject({ code: "object_missing" });
    await expect(restore("mine", commit, "builder")).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    expect(refs()).not.toContain("mine");
  });

  test("after an interruption finishes with the branch it had created, without a second one", async () => {
    scratch.git("branch", "mine", commit);
    expect(await redriven("mine")).toBe("mine");
    scratch.git("branch", "restored/letters-1", commit);
    expect(await redriven(null)).toBe("restored/letters-1");
    await expect(redriven("main")).rejects.toMatchObject({ code: "invalid_cli_args" });
  });
});
