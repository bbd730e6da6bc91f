import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "slipway/init/testing/scratch";
import { PROGRAM } from "slipway/testing/program";
import { letters } from "slipway/testing/project";
import { describe, expect, test } from "vitest";
import { belongings, expectRefused, inHere, run, runHere, slipway } from "./place.ts";

const git = (cwd: string, ...args: readonly string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });

describe("the repository", () => {
  test("no git on the search path", async () => {
    const project = letters();
    const before = belongings(project.root);
    const ended = await slipway(project, ["run", "letters.spec.md", "--cassette", project.cassette], {
      env: { PATH: join(project.home, "nothing") },
    });
    expectRefused(ended, { code: "git_missing", names: ["git was not found", "Install git"] });
    expect(existsSync(join(project.root, ".slipway"))).toBe(false);
    expect(belongings(project.root)).toEqual(before);
    expect((await runHere(project)).code).toBe(23);
  });

  test("not a repository", async () => {
    const project = letters();
    const folder = scratchFolder();
    const refusal = { code: "not_a_repository", names: [folder, "git init"] };
    expectRefused(await slipway(project, ["run", join(project.root, "letters.spec.md")], { cwd: folder }), refusal);
    for (const argv of [["status"], ["inbox"], ["resume"], ["journal", "verify"]])
      expectRefused(await inHere(project, argv, folder), refusal);
    expect(existsSync(join(folder, ".slipway"))).toBe(false);
  });

  test("a bare repository", async () => {
    const project = letters();
    const bare = join(project.home, "bare.git");
    git(project.home, "clone", "--quiet", "--bare", project.root, bare);
    const refs = git(bare, "for-each-ref");
    expectRefused(await slipway(project, ["run", join(project.root, "letters.spec.md")], { cwd: bare }), {
      code: "repository_unsuitable",
      names: [bare, "git clone"],
    });
    expect(git(bare, "for-each-ref")).toBe(refs);
  });

  test("inside git's own folder", async () => {
    const project = letters();
    const inside = join(project.root, ".git");
    expectRefused(await slipway(project, ["run", "../letters.spec.md"], { cwd: inside }), { code: "not_a_repository", names: [inside] });
  });

  test("no commits", async () => {
    const project = letters();
    const folder = scratchFolder();
    git(folder, "init", "--quiet");
    expectRefused(await slipway(project, ["run", join(project.root, "letters.spec.md")], { cwd: folder }), {
      code: "repository_unsuitable",
      names: [folder, "no commit", "git commit"],
    });
  });

  test("a detached HEAD works, and does not move", async () => {
    const project = letters();
    project.git("checkout", "--quiet", "--detach");
    const before = belongings(project.root);
    expect((await run(project)).code).toBe(23);
    expect(belongings(project.root)).toEqual(before);
    expect((await inHere(project, ["approve"])).code).toBe(0);
    expect((await slipway(project, ["merge"])).code).toBe(0);
    const after = belongings(project.root);
    expect(after).toEqual({ ...before, refs: after.refs });
    expect(project.git("show", "main:src/a.txt")).toBe("two\n");
  });

  test("a base branch that does not exist", async () => {
    const project = letters();
    project.git("branch", "--move", "trunk");
    const before = belongings(project.root);
    expectRefused(await runHere(project), { code: "config_invalid", names: ["slipway/policy.yaml", '"main"', "git branch main"] });
    expect(belongings(project.root)).toEqual(before);
    project.git("branch", "main");
    expect((await runHere(project)).code).toBe(23);
  });

  test("a dirty tree works: staged, changed, deleted and untracked files do not change, before and after the merge", async () => {
    const project = letters({ "src/c.txt": "one\n", "src/d.txt": "one\n" });
    project.write("src/b.txt", "my change\n");
    project.write("src/staged.txt", "staged\n");
    project.git("add", "src/staged.txt");
    project.write("src/staged.txt", "staged, then changed\n");
    project.write("untracked.txt", "mine\n");
    rmSync(join(project.root, "src/c.txt"));
    project.git("stash", "list");
    const before = belongings(project.root);
    expect((await run(project)).code).toBe(23);
    expect(belongings(project.root)).toEqual(before);
    await inHere(project, ["approve"]);
    expect((await slipway(project, ["merge"])).code).toBe(0);
    const after = belongings(project.root);
    expect(after.status).toBe(before.status);
    expect(after.files).toEqual({ ...before.files, "src/a.txt": after.files["src/a.txt"] });
    expect(project.read("src/a.txt")).toBe("two\n");
    expect(project.git("diff", "--cached", "--name-only")).toBe("src/staged.txt\n");
  });

  test("submodules are ignored and survive the merge", async () => {
    const [project, part] = [letters(), letters()];
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part.root, "part");
    project.git("commit", "--quiet", "--message=part");
    project.write("part/src/a.txt", "my change in the submodule\n");
    const [before, inner] = [belongings(project.root), belongings(part.root)];
    const link = project.git("ls-tree", "main", "part");
    expect((await runHere(project)).code).toBe(23);
    await inHere(project, ["approve"]);
    expect((await slipway(project, ["merge"])).code).toBe(0);
    expect(project.git("ls-tree", "main", "part")).toBe(link);
    expect(project.read("part/src/a.txt")).toBe("my change in the submodule\n");
    expect(belongings(part.root)).toEqual(inner);
    expect(belongings(project.root).status).toBe(before.status);
  });

  test("a user's branch with the feature's name is not taken over", async () => {
    const project = letters();
    project.git("switch", "--quiet", "--create", "letters");
    project.write("src/mine.txt", "mine\n");
    project.git("add", "--all");
    project.git("commit", "--quiet", "--message=mine");
    project.git("switch", "--quiet", "main");
    const before = belongings(project.root, []);
    const { code, stderr } = await run(project);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^invalid_feature_slug: letters\.spec\.md would become the feature "letters", but a branch of that name exists/);
    expect(belongings(project.root, [])).toEqual(before);
  });

  test("the current folder has been deleted", async () => {
    const project = letters();
    mkdirSync(join(project.home, "gone"));
    const script = `rmdir "$PWD" && exec "$0" "$@"`;
    const { status, stderr } = spawnSync("sh", ["-c", script, process.execPath, ...PROGRAM, "status"], {
      cwd: join(project.home, "gone"),
      env: project.env,
      encoding: "utf8",
    });
    expectRefused({ code: status, stdout: "", stderr }, { code: "not_a_repository", names: ["no longer exists"] });
  });
});
