import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { layoutAt } from "@slipway/kernel/host/layout";
import { buildAll, factoryProject, goOn, withoutSecondPlan } from "slipway/testing/factory-project";
import { letters, type Project } from "slipway/testing/project";
import { describe, expect, test } from "vitest";

/** As `slipway init` writes it: worktrees in the default folder. */
const DEFAULT_PLACE = { "slipway/policy.yaml": POLICY.replace(", root: .worktrees", "") };

async function waiting(): Promise<Project> {
  const project = letters(DEFAULT_PLACE);
  expect(await project.run()).toMatchObject({ code: 23 });
  return project;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const CLEANERS: readonly (readonly [string, (project: Project) => void])[] = [
  ["git clean -fdx", (project) => void project.git("clean", "-ffdx", "--quiet")],
  ["rm -rf .slipway", ({ root }) => rmSync(layoutAt(root).state, { recursive: true })],
];

describe("A5: the records survive cleaning the checkout", () => {
  test.each(CLEANERS)("A5: %s while an approval is open", async (_command, clean) => {
    const project = await waiting();
    const before = (await project.slipway(["status"])).stdout;
    clean(project);
    expect(existsSync(layoutAt(project.root).state)).toBe(false);
    expect((await project.slipway(["status"])).stdout).toBe(before);
    expect((await project.slipway(["inbox"])).stdout).toContain("Merge letters into main?");
    expect(await project.slipway(["journal", "verify"])).toMatchObject({ code: 0 });
    expect(await project.slipway(["approve", "letters", "--yes"])).toMatchObject({ code: 0 });
    clean(project);
    expect(await project.slipway(["merge", "letters"])).toMatchObject({ code: 0 });
    expect(project.git("show", "main:src/a.txt")).toBe("two\n");
    clean(project);
    expect((await project.slipway(["evidence", "letters"])).stdout).toContain("Merged");
    const run = String(project.sql("SELECT run_id FROM runs WHERE run_id = root_run_id")[0]?.["run_id"]);
    expect((await project.slipway(["transcript", run, "builder:1"])).stdout).toContain("one to two");
  });

  test("A5: git clean -fdx between the tasks of the factory", async () => {
    const project = withoutSecondPlan(factoryProject(DEFAULT_PLACE));
    await buildAll(project);
    expect((await project.slipway(["factory", "status"])).stdout).toContain("1 SHIPPED, 1 HALTED");
    project.git("clean", "-ffdx", "--quiet");
    expect((await project.slipway(["factory", "status"])).stdout).toContain("1 SHIPPED, 1 HALTED");
    const { stdout: module } = await project.slipway(["factory", "module", "MM-twice"]);
    expect(module).toContain("MM-twice@1.0.0");
    const sealed = /sealed in: (\S+)/.exec(module)?.[1] ?? "";
    expect(readdirSync(join(project.root, sealed))).toContain("ship.json");
    await project.slipway(["answer", "Q2", '{"action":"ABANDON_TASK","rationale":"Nobody needs it."}']);
    expect((await goOn(project)).stdout).toMatch(/ready to merge\n- rel-\w+: asks: Merge rel-\w+ into main\?/);
  });
});

test("B9: no file of an unapproved feature is anywhere in the checkout", async () => {
  const project = await waiting();
  const [worktree] = project.sql("SELECT worktree FROM features").map((row) => String(row["worktree"]));
  expect(readFileSync(join(String(worktree), "src/a.txt"), "utf8")).toBe("two\n");
  expect(worktree).toBe(join(project.ungated.worktrees, "letters"));
  // The files that a test runner or a formatter walks through.
  const seen = filesBelow(project.root).filter((path) => !path.startsWith(join(project.root, ".git/")));
  expect(seen.filter((path) => path.endsWith(".txt"))).toEqual([join(project.root, "src/a.txt"), join(project.root, "src/b.txt")]);
  expect(project.read("src/a.txt")).toBe("one\n");
  // The person finds it.
  expect((await project.slipway(["inbox"])).stdout).toContain(`worktree: ${worktree}`);
});

test.each([0, 0o022])("B30: under umask %i no other user may enter Slipway's folders", async (umask) => {
  const before = process.umask(umask);
  try {
    const { root, ungated } = await waiting();
    const { state, truth, database, objects } = layoutAt(root);
    for (const folder of [state, truth, objects, ungated.worktrees]) expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
    for (const file of [database, ...filesBelow(objects)]) expect(statSync(file).mode & 0o777, file).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

test("B28: a .slipway that is a committed link is refused, and nothing is written through it", async () => {
  const project = letters(DEFAULT_PLACE);
  const outside = join(project.home, "outside");
  project.write(join(outside, "keep.txt"), "kept\n");
  symlinkSync(outside, join(project.root, ".slipway"));
  project.git("add", "--force", ".slipway");
  project.git("commit", "--quiet", "--message=link");
  expect(await project.run()).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^path_out_of_bounds: .*\.slipway is a symbolic link/),
  });
  expect(lstatSync(join(project.root, ".slipway")).isSymbolicLink()).toBe(true);
  expect(readdirSync(outside)).toEqual(["keep.txt"]);
});

test("A5: the same records from every working tree of the user", async () => {
  const project = await waiting();
  const linked = join(project.home, "linked");
  project.git("worktree", "add", "--quiet", "-b", "mine", linked);
  const here = (await project.slipway(["status"])).stdout;
  expect((await project.slipway(["status"], { cwd: linked })).stdout).toBe(here);
  expect(await project.slipway(["approve", "letters", "--yes"], { cwd: linked })).toMatchObject({ code: 0 });
  expect(await project.slipway(["merge", "letters"], { cwd: linked })).toMatchObject({ code: 0 });
  expect(existsSync(join(linked, ".slipway"))).toBe(false);
});
