import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answersFor, letters, patchOf, type Project } from "../testing/project.ts";

async function ready(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = letters(files);
  expect((await project.run()).code).toBe(23);
  return project;
}

const tree = (project: Project) => String(project.sql("SELECT tree FROM features WHERE id = 'letters'")[0]?.["tree"]);
const main = (project: Project) => project.git("rev-parse", "main").trim();

describe("slipway diff", () => {
  test("prints the change on stdout, and its tree on stderr", async () => {
    const project = await ready();
    const { code, stdout, stderr } = await project.slipway(["diff", "letters"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+two\n");
    expect(stderr).toBe(
      [
        "It will land by merge_commit, with this commit message and Slipway's own trailers:",
        "    letters: change the letters",
        `tree ${tree(project)} on main ${main(project).slice(0, 10)}\n`,
      ].join("\n"),
    );
  });

  test("--stat, --name-only and --json", async () => {
    const project = await ready();
    expect((await project.slipway(["diff", "--stat"])).stdout).toMatch(/^ src\/a\.txt \| 2 \+-\n 1 file changed/);
    expect((await project.slipway(["diff", "--name-only"])).stdout).toBe("src/a.txt\n");
    expect((await project.slipway(["diff", "--json", "--name-only"])).json()).toEqual([
      { feature: "letters", base: main(project), tree: tree(project), diff: "src/a.txt\n" },
    ]);
  });

  test("a feature without a change, one that does not exist, and none at all", async () => {
    const project = letters();
    project.record("builder", "1", { type: "REQUEST", request: "more_context", text: "what?" });
    await project.run();
    expect((await project.slipway(["diff"])).stdout).toBe("letters has no change yet.\n");
    expect((await project.slipway(["diff", "nothing"])).stderr).toMatch(
      /^feature_not_found: There is no feature "nothing"\.\n {2}next: Run `slipway status`/,
    );
    const empty = letters();
    await empty.slipway(["run", "letters.spec.md"]);
    expect((await empty.slipway(["diff"])).stderr).toMatch(/^feature_not_found: There is no feature yet/);
  });
});

describe("slipway approve", () => {
  test("signs exactly the tree of the question, and prints the next command", async () => {
    const project = await ready();
    const { code, stdout } = await project.slipway(["approve", "letters", "--tree", tree(project)]);
    expect(code).toBe(0);
    const [said, ...others] = stdout.split("\n");
    expect(said).toMatch(/^Approved tree \w{10} of letters, signed as kim, valid until \d{4}-\S+Z\.$/);
    expect(said).toContain(tree(project).slice(0, 10));
    expect(others).toEqual(["  next: slipway merge letters", ""]);
    expect(main(project)).toBe(project.git("rev-parse", "HEAD").trim());
    expect(project.git("log", "--format=%s", "main").trim()).toBe("files");
  });

  test("with --json, and with the person's name from the environment", async () => {
    const project = await ready();
    const { json } = await project.slipway(["approve", "--json", "--tree", tree(project).slice(0, 8)], {
      env: { ...project.env, SLIPWAY_USER: "ada" },
    });
    expect(json()).toEqual([
      { ok: true, feature: "letters", tree: tree(project), by: "ada", until: expect.any(String), next: "slipway merge letters" },
    ]);
  });

  test("refuses a tree other than the named one, and answers nothing", async () => {
    const project = await ready();
    const other = "0123456789abcdef0123456789abcdef01234567";
    const { code, stderr } = await project.slipway(["approve", "letters", "--tree", other]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(
        `^approval_invalid: You asked to approve tree ${other}, but .* tree ${tree(project)}\\.\\n {2}next: Look at it again with \`slipway diff letters\``,
      ),
    );
    expect(project.sql("SELECT status FROM questions")).toEqual([{ status: "open" }]);
    expect((await project.slipway(["merge"])).code).toBe(23);
  });

  test("where no approval is asked for", async () => {
    const project = letters();
    expect((await project.slipway(["approve"])).stderr).toMatch(/^run_not_found: Nothing has run/);
    project.record("builder", "1", { type: "REQUEST", request: "more_context", text: "what?" });
    await project.run();
    const { code, stderr } = await project.slipway(["approve"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^question_not_found: "letters" is building and does not wait for an approval\.\n {2}next: `slipway status`/);
  });
});

describe("slipway merge", () => {
  test("without an approval and without a terminal: exit 23, with the commands to type; nothing merges", async () => {
    const project = await ready();
    const base = main(project);
    const { code, stderr } = await project.slipway(["merge", "letters"]);
    expect(code).toBe(23);
    expect(stderr).toBe(
      'user_approval_required: "letters" has not been approved yet.\n  next: Look at it: `slipway diff letters`.\n  next: Then: `slipway approve letters`.\n',
    );
    expect((await project.slipway(["merge", "--json"])).json()).toMatchObject([{ ok: false, error: { code: "user_approval_required" } }]);
    expect(main(project)).toBe(base);
  });

  test("after the approval the approved tree is on the base branch, and the user's checkout follows", async () => {
    const project = await ready();
    const approved = tree(project);
    await project.slipway(["approve"]);
    const { code, stdout } = await project.slipway(["merge"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`letters is merged into main as ${main(project).slice(0, 10)}.\n`);
    expect(project.git("rev-parse", "main^{tree}").trim()).toBe(approved);
    expect(project.read("src/a.txt")).toBe("two\n");
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test("again: reports that it is already merged, and merges nothing", async () => {
    const project = await ready();
    await project.slipway(["approve"]);
    const first = (await project.slipway(["merge", "--json"])).json<Record<string, unknown>>().at(-1);
    expect(first).toMatchObject({ status: "completed", value: [{ feature_id: "letters", status: "merged" }] });
    const commit = main(project);
    expect(await project.slipway(["merge"])).toMatchObject({ code: 0, stdout: `letters is already merged as ${commit}.\n` });
    expect((await project.slipway(["merge", "--json"])).json()).toEqual([{ ok: true, feature: "letters", status: "merged" }]);
    expect(main(project)).toBe(commit);
  });

  test("ends when the named feature is merged, although another one waits", async () => {
    const project = letters({ "other.md": "# Other\n" });
    answersFor(project, "other", "src/b.txt");
    await project.slipway(["run", "letters.spec.md", "other.md", "--cassette", project.cassette]);
    await project.slipway(["approve", "letters"]);
    const { code, stdout } = await project.slipway(["merge", "letters"]);
    expect(code).toBe(0);
    expect(stdout).toContain("slipway approve other");
    expect((await project.slipway(["merge", "other"])).code).toBe(23);
  });

  test("names the others that land with it, and picks the only waiting feature when none is named", async () => {
    const project = letters({ "other.md": "# Other\n" });
    answersFor(project, "other", "src/b.txt");
    await project.slipway(["run", "letters.spec.md", "other.md", "--cassette", project.cassette]);
    await project.slipway(["approve", "letters"]);
    expect((await project.slipway(["approve"])).stdout).toMatch(
      /^No feature was named; other is the only one that waits for this\.\nApproved tree \w+ of other/,
    );
    const { code, stdout } = await project.slipway(["merge", "letters"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^other is also approved, and lands with the same run\.\n/);
    expect(project.git("show", "main:src/b.txt")).toBe("two\n");
  });

  test("without a name, picks the approved feature", async () => {
    const project = letters({ "other.md": "# Other\n" });
    answersFor(project, "other", "src/b.txt");
    await project.slipway(["run", "letters.spec.md", "other.md", "--cassette", project.cassette]);
    await project.slipway(["approve", "other"]);
    const { code, stderr } = await project.slipway(["merge", "--json"]);
    expect(code).toBe(0);
    expect(stderr).toContain("No feature was named; other is the only one that waits for this.");
    expect(project.git("log", "--first-parent", "-1", "--format=%s", "main")).toContain("other");
  });

  test("a cancelled run and a given-up feature are failures, with the reason", async () => {
    const project = await ready();
    await project.slipway(["stop", "--cancel", "--yes"]);
    expect(await project.slipway(["merge"])).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^Run \S+ was cancelled: cancelled by kim/m),
    });
    const rejected = await ready();
    await rejected.slipway(["answer", "Q1", "reject", "--comment", "no"]);
    expect((await rejected.slipway(["merge"])).code).toBe(3);
    expect((await rejected.slipway(["merge"])).stdout).toContain("letters ended failed; its work is kept under refs/slipway.");
  });

  test("local changes in the way are kept: the person is asked to remove them, then it lands", async () => {
    const project = await ready();
    await project.slipway(["approve"]);
    project.write("src/a.txt", "my own edit\n");
    const stuck = await project.slipway(["merge"]);
    expect(stuck.code).toBe(23);
    expect(stuck.stdout).toMatch(/x letters: not merged: .*src\/a\.txt/);
    expect(project.read("src/a.txt")).toBe("my own edit\n");
    project.git("checkout", "--quiet", "--", "src/a.txt");
    await project.slipway(["answer", "Q2", "retry"]);
    expect((await project.slipway(["merge"])).code).toBe(0);
    expect(project.read("src/a.txt")).toBe("two\n");
  });

  test("works from inside the feature's own worktree, and on a base that moved elsewhere", async () => {
    const project = await ready();
    await project.slipway(["approve"]);
    project.write("src/b.txt", "theirs\n");
    project.git("commit", "-qam", "theirs");
    const { code, stdout } = await project.slipway(["merge"], { cwd: join(project.root, ".worktrees", "letters") });
    expect(code).toBe(0);
    expect(stdout).toContain("- letters: the base moved: rebuilt on top of it\n");
    expect(project.git("show", "main:src/a.txt", "main:src/b.txt")).toBe("two\ntheirs\n");
  });

  test("a conflict with a moved base goes back to the builder", async () => {
    const project = await ready();
    await project.slipway(["approve"]);
    project.write("src/a.txt", "theirs\n");
    project.git("commit", "-qam", "theirs");
    project.record("builder", "2.1", patchOf("src/a.txt", "one", "two"));
    const { code } = await project.slipway(["merge"]);
    expect(code).toBe(23);
    expect(project.git("show", "main:src/a.txt")).toBe("theirs\n");
  });
});
