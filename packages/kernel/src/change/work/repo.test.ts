import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isBelow } from "../../host/sandbox/arguments.ts";
import { callAs as call, LETTERS as letters, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, POLICY, type ScratchKernel } from "../testing/scratch-kernel.ts";

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

describe("worktrees", () => {
  test("[FEA-078] the branch starts at the head of the base and is checked out in .worktrees/<feature>", async () => {
    const made = await feature.init();
    expect(scratch.git("rev-parse", "letters").trim()).toBe(scratch.git("rev-parse", "main").trim());
    expect(scratch.git("-C", ".worktrees/letters", "symbolic-ref", "HEAD").trim()).toBe("refs/heads/letters");
    expect([made.branch, (await scratch.kernel.features.getState("letters")).state.branch]).toEqual(["letters", "letters"]);
  });

  test("[FEA-078] the branch starts at the base, even if the user has another branch checked out", async () => {
    scratch.git("switch", "--quiet", "--create", "mine");
    scratch.git("commit", "--quiet", "--allow-empty", "--message=mine");
    await feature.init();
    expect(scratch.git("rev-parse", "letters")).toBe(scratch.git("rev-parse", "main"));
    expect(scratch.git("rev-parse", "letters")).not.toBe(scratch.git("rev-parse", "mine"));
  });

  test("[FEA-062] a second ensure_worktree or init changes no branch, file or version", async () => {
    await feature.built();
    scratch.write(".worktrees/letters/by-hand.txt", "mine\n");
    const before = [await feature.row(), scratch.git("for-each-ref"), scratch.git("-C", ".worktrees/letters", "status", "--porcelain")];
    expect(await scratch.kernel.features.ensureWorktree(call(), letters)).toMatchObject({ branch: "letters", created: false });
    const other = await scratch.records.objects.put(Buffer.from("# Another\n"));
    await scratch.kernel.features.init(call(), { ...letters, run_id: "run2", spec_source: "other.md", spec_digest: other });
    expect([await feature.row(), scratch.git("for-each-ref"), scratch.git("-C", ".worktrees/letters", "status", "--porcelain")]).toEqual(
      before,
    );
    expect(scratch.read(".slipway/features/letters/spec.md")).toBe("# Letters\n");
  });

  test("a deleted worktree is recreated with the recorded content, on the same branch", async () => {
    await feature.built();
    rmSync(join(scratch.root, ".worktrees"), { recursive: true });
    expect(await scratch.kernel.features.ensureWorktree(call(), letters)).toMatchObject({ created: true });
    expect([feature.file("src/a.txt"), feature.file("src/b.txt")]).toEqual(["two\n", "one\n"]);
    await expect(scratch.kernel.features.ensureWorktree(call(), { feature_id: "nobody" })).rejects.toMatchObject({
      code: "feature_not_found",
    });
  });

  test("[FEA-009] one worktree per feature branch, and no tool changes the main checkout", async () => {
    scratch.git("switch", "--quiet", "--create", "mine");
    const candidate = await feature.ready();
    const { features } = scratch.kernel;
    await features.repoStatus("letters");
    await features.ensureWorktree(call(), letters);
    const worktrees = scratch.git("worktree", "list", "--porcelain").match(/^branch .*$/gm);
    expect(worktrees).toEqual(["branch refs/heads/mine", "branch refs/heads/letters"]);
    await features.merge(call(), { ...letters, user_approval_token: scratch.sign(candidate) });
    expect(scratch.git("symbolic-ref", "HEAD").trim()).toBe("refs/heads/mine");
    expect(scratch.git("status", "--porcelain")).toBe("");
  });
});

describe("[FEA-007] the root of the worktrees", () => {
  const rooted = (root: string) => POLICY.replace("root: .worktrees", `root: "${root}"`);

  test("is configurable, and is hidden from git status without hiding other folders of that name", async () => {
    await reopening(rooted("build/[trees]"));
    await feature.init();
    expect(scratch.read("build/[trees]/letters/src/a.txt")).toBe("one\n");
    expect(scratch.git("status", "--porcelain", "--untracked-files=all")).toBe("");
    scratch.write("src/build/[trees]/x", "");
    expect(scratch.git("status", "--porcelain", "--untracked-files=all")).toContain("src/build/[trees]/x");
  });

  test("B9: by default they are outside the checkout, for this user only", async () => {
    await reopening(POLICY.replace(", root: .worktrees", ""));
    const before = readdirSync(scratch.root).toSorted();
    await feature.init();
    const { worktree } = (await scratch.kernel.records.database.db.selectFrom("features").selectAll().execute())[0]!;
    const { worktrees } = scratch.kernel.repository.ungated;
    expect(worktree).toBe(join(worktrees, "letters"));
    expect(isBelow(scratch.root, worktree)).toBe(false);
    expect(readFileSync(join(worktree, "src/a.txt"), "utf8")).toBe("one\n");
    expect([worktrees, dirname(worktrees)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
    expect(readdirSync(scratch.root).toSorted()).toEqual(before);
  });

  test("B30: one in the checkout is for this user only, too", async () => {
    const before = process.umask(0);
    try {
      await feature.init();
    } finally {
      process.umask(before);
    }
    expect(statSync(join(scratch.root, ".worktrees")).mode & 0o777).toBe(0o700);
  });

  test.each(["../outside", "/tmp/outside", ".git/trees"])("%s fails with path_out_of_bounds", async (root) => {
    await expect(openScratchKernel({ "slipway/policy.yaml": rooted(root) })).rejects.toMatchObject({ code: "path_out_of_bounds" });
  });

  test.each([
    ["where records are kept", ".slipway/features"],
    ["where versioned files are", "src"],
  ])("cannot be %s", async (_what, root) => {
    await reopening(rooted(root));
    await expect(feature.init()).rejects.toMatchObject({ code: "path_out_of_bounds", details: { field: "worktree.root" } });
    expect(scratch.git("status", "--porcelain", "--untracked-files=all")).not.toContain("letters");
  });

  test("a root that a link leads out of the repository fails with path_out_of_bounds, and nothing is created there", async () => {
    const outside = join(scratch.root, "..", "outside");
    scratch.write("../outside/keep.txt", "");
    symlinkSync(outside, join(scratch.root, ".worktrees"));
    await expect(feature.init()).rejects.toMatchObject({ code: "path_out_of_bounds" });
    expect(existsSync(join(outside, "letters"))).toBe(false);
  });
});

describe("reads", () => {
  test("[FEA-083] repo.diff compares with the feature's base, in the listed formats", async () => {
    await feature.built();
    theirs("src/b.txt", "theirs\n");
    const { repoDiff } = scratch.kernel.features;
    const { diff, base, truncated } = await repoDiff("letters");
    expect([diff.match(/^[+-][^+-].*$/gm), base, truncated]).toEqual([["-one", "+two"], (await feature.row()).base_commit, false]);
    expect((await repoDiff("letters", ["--name-only"])).diff).toBe("src/a.txt\n");
    expect((await repoDiff("letters", ["--name-status"])).diff).toBe("M\tsrc/a.txt\n");
    expect((await repoDiff("letters", ["--numstat"])).diff).toBe("1\t1\tsrc/a.txt\n");
    expect((await repoDiff("letters", ["--stat", "--patch"])).diff).toMatch(/1 file changed.*\+two/s);
    await expect(repoDiff("letters", ["--name-only", "--name-status"])).rejects.toMatchObject({ code: "schema_validation_failed" });
  });

  test("[FEA-083] repo.status shows branch and porcelain of the worktree", async () => {
    await feature.built();
    expect(await scratch.kernel.features.repoStatus("letters")).toEqual({
      worktree_path: join(scratch.root, ".worktrees/letters"),
      branch: "letters",
      porcelain: " M src/a.txt\n",
    });
  });

  test("[FEA-084] repo.read_file and repo.search use the feature's own content", async () => {
    await feature.built();
    expect(await scratch.kernel.features.repoReadFile("letters", "src/a.txt")).toMatchObject({ text: "two\n" });
    expect((await scratch.kernel.features.repoSearch("letters", { query: "two", literal: true })).matches).toEqual([
      { path: "src/a.txt", line: 1, text: "two" },
    ]);
    for (const read of [
      scratch.kernel.features.repoReadFile("nobody", "src/a.txt"),
      scratch.kernel.features.repoSearch("nobody", { query: "x", literal: true }),
    ])
      await expect(read).rejects.toMatchObject({ code: "feature_not_found" });
  });

  test("[FEA-085] a diff bundle has stat, diff, files and the last gate run; a long diff is in a file", async () => {
    await feature.built();
    await scratch.kernel.features.runGates(call(), { ...letters, mode: "fast" });
    const bundle = await scratch.kernel.features.repoDiffBundle("letters");
    expect(bundle).toMatchObject({
      stat: expect.stringContaining("1 file changed"),
      diff: (await scratch.kernel.features.repoDiff("letters")).diff,
      diff_path: null,
      files: [{ path: "src/a.txt", status: "M" }],
      last_gate: { mode: "fast", passed: true, tree: (await feature.row()).tree, steps: [{ name: "check", exit_code: 0 }] },
    });
    const long = addFile("src/new.txt", "x".repeat(700_000));
    await scratch.kernel.features.applyPatch(call(), { ...letters, unified_diff: long });
    const stored = await scratch.kernel.features.repoDiffBundle("letters");
    expect([stored.diff, stored.files.length]).toEqual([null, 2]);
    expect(scratch.read(stored.diff_path?.slice(scratch.root.length + 1) ?? "")).toContain("x".repeat(700_000));
    expect(await scratch.kernel.features.repoDiff("letters")).toMatchObject({ truncated: true });
  });
});
