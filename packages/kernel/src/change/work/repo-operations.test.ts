import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs as call, LETTERS as letters, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, POLICY, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
const reopen = async (files?: Record<string, string>) => {
  scratch = await openScratchKernel(files);
  feature = lettersOn(scratch);
};
beforeEach(() => reopen());
afterEach(() => scratch.close());

const theirs = (path: string, text: string) => {
  scratch.write(path, text);
  scratch.git("commit", "--quiet", "--all", "--message=theirs");
};

async function reopening(policy: string) {
  await scratch.close();
  await reopen({ "slipway/policy.yaml": policy });
}

describe("repo.commit", () => {
  const allowed = POLICY.replace("allow_commit: false, allow_merge: false", "allow_commit: true, allow_merge: true");

  test("[FEA-091] is refused with commit_disabled if the policy says so", async () => {
    await feature.built();
    await expect(scratch.kernel.features.repoCommit(call(), { ...letters, message: "Letters" })).rejects.toMatchObject({
      code: "commit_disabled",
    });
    expect(scratch.git("rev-parse", "letters")).toBe(scratch.git("rev-parse", "main"));
  });

  test("commits the accepted change on the feature's branch, once; the base does not move", async () => {
    await reopening(allowed);
    await feature.built();
    const base = scratch.git("rev-parse", "main");
    const first = await scratch.kernel.features.repoCommit(call(), { ...letters, message: "Letters" });
    expect(first).toMatchObject({ branch: "letters", committed: true, commit: scratch.git("rev-parse", "letters").trim() });
    expect(scratch.git("log", "-1", "--format=%s", "letters").trim()).toBe("Letters");
    expect(scratch.git("-C", ".worktrees/letters", "status", "--porcelain")).toBe("");
    expect(await scratch.kernel.features.repoCommit(call(), { ...letters, message: "Again" })).toEqual({ ...first, committed: false });
    expect(scratch.git("rev-parse", "main")).toBe(base);
  });

  test("a merge after it still makes one commit of everything", async () => {
    await reopening(allowed);
    await feature.ready();
    const candidate = await scratch.kernel.features.candidate(call(), { ...letters, commit_message: "Letters" });
    await scratch.kernel.features.repoCommit(call(), { ...letters, message: "Work in progress" });
    const landing = await scratch.kernel.features.merge(call(), {
      ...letters,
      user_approval_token: scratch.sign(candidate),
      commit_message: "Letters",
    });
    expect(scratch.git("log", "--format=%s", `${candidate.base}..letters`).trim()).toBe("Letters");
    expect(scratch.git("rev-parse", "main").trim()).toBe(landing.commit);
  });

  test("a feature that has ended accepts no commit", async () => {
    await reopening(allowed);
    await feature.built();
    await scratch.kernel.features.changeStatus(call(), { ...letters, to: "failed", reason: "r" });
    await expect(scratch.kernel.features.repoCommit(call(), { ...letters, message: "x" })).rejects.toMatchObject({
      code: "invalid_status_transition",
    });
  });
});

describe("repo.rebase_onto_main", () => {
  test("[FEA-091] moves branch and worktree to the current base; earlier gates no longer count", async () => {
    await feature.ready();
    theirs("src/b.txt", "theirs\n");
    const moved = await scratch.kernel.features.rebaseOntoMain(call(), letters);
    expect(moved).toMatchObject({ rebuilt: true, base: scratch.git("rev-parse", "main").trim() });
    expect(scratch.git("rev-parse", "letters").trim()).toBe(moved.base);
    expect([feature.file("src/a.txt"), feature.file("src/b.txt")]).toEqual(["two\n", "theirs\n"]);
    expect((await scratch.kernel.features.getState("letters")).state.gates).toMatchObject({ fast: "na", full: "na" });
    expect(await scratch.kernel.features.rebaseOntoMain(call(), letters)).toMatchObject({ rebuilt: false });
  });

  test("in a conflict it fails with the files, and nothing moves", async () => {
    await feature.built();
    theirs("src/a.txt", "theirs\n");
    const before = [await feature.row(), scratch.git("rev-parse", "letters"), feature.file("src/a.txt")];
    await expect(scratch.kernel.features.rebaseOntoMain(call(), letters)).rejects.toMatchObject({
      code: "merge_failed",
      details: { conflicts: ["src/a.txt"] },
    });
    expect([await feature.row(), scratch.git("rev-parse", "letters"), feature.file("src/a.txt")]).toEqual(before);
  });

  test("earlier commits on the branch stay reachable", async () => {
    await reopening(POLICY.replace("allow_commit: false", "allow_commit: true"));
    await feature.built();
    const { commit } = await scratch.kernel.features.repoCommit(call(), { ...letters, message: "Work in progress" });
    theirs("src/b.txt", "theirs\n");
    await scratch.kernel.features.rebaseOntoMain(call(), letters);
    expect(scratch.git("for-each-ref", "--contains", commit, "refs/slipway").trim()).not.toBe("");
    expect(feature.file("src/a.txt")).toBe("two\n");
  });
});

describe("repo.merge", () => {
  test("[FEA-091] is refused with merge_disabled if the policy says so, with any token", async () => {
    const candidate = await feature.ready();
    const base = scratch.git("rev-parse", "main");
    await expect(
      scratch.kernel.features.repoMerge(call(), { ...letters, user_approval_token: scratch.sign(candidate) }),
    ).rejects.toMatchObject({ code: "merge_disabled" });
    expect(scratch.git("rev-parse", "main")).toBe(base);
  });

  test("does not bypass an approval where it is allowed", async () => {
    await reopening(POLICY.replace("allow_merge: false", "allow_merge: true"));
    const candidate = await feature.ready();
    await expect(scratch.kernel.features.repoMerge(call(), { ...letters, user_approval_token: "" })).rejects.toMatchObject({
      code: "user_approval_required",
    });
    await expect(
      scratch.kernel.features.repoMerge({ ...call(), actor: { type: "orchestrator", id: "o" } }, { ...letters, user_approval_token: "" }),
    ).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    const landing = await scratch.kernel.features.repoMerge(call(), { ...letters, user_approval_token: scratch.sign(candidate) });
    expect(landing).toMatchObject({ commit: scratch.git("rev-parse", "main").trim(), approved_by: "kim" });
  });
});
