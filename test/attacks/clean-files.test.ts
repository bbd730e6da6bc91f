import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { layoutAt } from "@slipway/kernel/host/layout";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { answersFor, letters, type Project } from "slipway/testing/project";
import { describe, expect, test } from "vitest";

const clean = (project: Project) => void project.git("clean", "-ffdx", "--quiet");

async function merged(): Promise<Project> {
  const project = letters({ "more.spec.md": "# More\n\nThe second letter file says two.\n" });
  answersFor(project, "more", "src/b.txt");
  expect(await project.run()).toMatchObject({ code: 23 });
  expect(await project.slipway(["approve", "letters", "--yes"])).toMatchObject({ code: 0 });
  expect(await project.slipway(["merge", "letters"])).toMatchObject({ code: 0 });
  return project;
}

/** Contents of `.slipway`, by path; lines of a run's log with the same time are in no order. */
function filesForPeople(project: Project, wanted: RegExp = /./): Record<string, string> {
  const { state } = layoutAt(project.root);
  if (!existsSync(state)) return {};
  const paths = readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const text = (path: string) => (path.endsWith(".jsonl") ? linesOf(path).toSorted().join("\n") : readFileSync(path, "utf8"));
  return Object.fromEntries(
    paths
      .map((path) => [relative(state, path), path] as const)
      .filter(([name]) => wanted.test(name))
      .toSorted()
      .map(([name, path]) => [name, text(path)]),
  );
}

const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

/** Paths below `.slipway` in a text, for people or as JSON. */
const pathsIn = (project: Project, text: string) => [
  ...new Set(text.match(new RegExp(String.raw`${layoutAt(project.root).state}/[^\s"',;\\]+`, "g")) ?? []),
];

const KEPT = /^(?:features\/letters\/(?:spec\.md|logs\/.+)|trials\/.+|runs\/.+)$/;

describe("A5: files for people after git clean -fdx", () => {
  test("A5: all files of a merged feature and of an ended run are rewritten when the next run has started", async () => {
    const project = await merged();
    const before = filesForPeople(project, /^(?:features\/letters|runs|trials)\//);
    expect(Object.keys(before).join("\n")).toMatch(/logs\/.+\.log/);
    clean(project);
    expect(await project.slipway(["run", "more.spec.md", "--cassette", project.cassette])).toMatchObject({ code: 23 });
    expect(filesForPeople(project)).toMatchObject(before);
  });

  test.each([["inbox"], ["evidence", "letters"], ["journal", "show"]])(
    "A5: specification, logs and events after slipway %s",
    async (...argv) => {
      const project = await merged();
      const before = filesForPeople(project, KEPT);
      clean(project);
      expect(await project.slipway(argv)).toMatchObject({ code: 0 });
      expect(filesForPeople(project, KEPT)).toEqual(before);
    },
  );

  test("A5: the deleted folder of a merged feature is rewritten by the next command that opens the configuration", async () => {
    const project = await merged();
    const before = filesForPeople(project, /^features\//);
    rmSync(layoutAt(project.root).feature("letters"), { recursive: true });
    expect(await project.slipway(["collisions"])).toMatchObject({ code: 0 });
    expect(filesForPeople(project, /^features\//)).toEqual(before);
  });

  test("A5: nothing is written if no file is missing", async () => {
    const project = await merged();
    const times = () =>
      Object.keys(filesForPeople(project, KEPT)).map((name) => statSync(join(layoutAt(project.root).state, name)).mtimeMs);
    const before = times();
    for (const argv of [["inbox"], ["collisions"]]) expect(await project.slipway(argv)).toMatchObject({ code: 0 });
    expect(times()).toEqual(before);
  });

  test.skipIf(!sandboxWorksHere())("A5: the log named in a question about red gates exists when slipway inbox shows it", async () => {
    const project = letters({ "src/b.txt": "BUG\n" });
    expect(await project.run()).toMatchObject({ code: 23 });
    clean(project);
    const [log = "", ...more] = pathsIn(project, (await project.slipway(["inbox"])).stdout);
    expect([log, more]).toEqual([expect.stringMatching(/\/trials\/.+\.log$/), []]);
    expect(readFileSync(log, "utf8")).toContain("BUG");
  });

  test.each([
    ["inbox", "--all"],
    ["evidence", "letters"],
    ["journal", "show"],
    ["gates", "fast"],
  ])("A5: every path that slipway %s --json prints exists", async (...argv) => {
    const project = await merged();
    clean(project);
    const { stdout } = await project.slipway([...argv, "--json"]);
    const paths = pathsIn(project, stdout);
    expect(paths).not.toEqual([]);
    for (const path of paths) expect(existsSync(path), path).toBe(true);
  });

  test("A5: slipway status, which writes nothing, names no file of .slipway", async () => {
    const project = await merged();
    clean(project);
    const { stdout } = await project.slipway(["status", "--json"]);
    expect(stdout).toContain("letters");
    expect(pathsIn(project, stdout)).toEqual([]);
    expect(existsSync(layoutAt(project.root).state)).toBe(false);
  });

  test("A5: a resumed run rewrites its log from the beginning", async () => {
    const project = letters();
    expect(await project.run()).toMatchObject({ code: 23 });
    const before = filesForPeople(project, /^runs\/.+\/events\.jsonl$/);
    clean(project);
    expect(await project.slipway(["resume", "--cassette", project.cassette])).toMatchObject({ code: 23 });
    const after = filesForPeople(project, /^runs\/.+\/events\.jsonl$/);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    for (const [name, text] of Object.entries(before)) expect(after[name]?.split("\n")).toEqual(expect.arrayContaining(text.split("\n")));
  });

  test("A5: a specification that a power cut has emptied is written again", async () => {
    const project = await merged();
    const spec = join(layoutAt(project.root).feature("letters"), "spec.md");
    const before = readFileSync(spec, "utf8");
    writeFileSync(spec, "");
    expect(await project.slipway(["inbox"])).toMatchObject({ code: 0 });
    expect(readFileSync(spec, "utf8")).toBe(before);
  });

  test("A5: records are shown with a warning if the files cannot be written", async () => {
    const project = await merged();
    rmSync(layoutAt(project.root).features, { recursive: true });
    writeFileSync(layoutAt(project.root).features, "in the way\n");
    expect(await project.slipway(["evidence", "letters"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Merged"),
      stderr: expect.stringMatching(/^warning: not every file in \.slipway could be written again: .*\n$/),
    });
  });

  test("A5: if worktrees are in the checkout, slipway inbox says that the named one is gone", async () => {
    const project = letters();
    expect(await project.run()).toMatchObject({ code: 23 });
    expect((await project.slipway(["inbox"])).stdout).not.toContain("is gone");
    clean(project);
    const { stdout } = await project.slipway(["inbox"]);
    expect(stdout).toContain(`worktree: ${join(project.root, ".worktrees/letters")}`);
    expect(stdout).toContain("The worktree is gone: `slipway resume` recreates it");
  });

  test("A5: the harness has no working files of its own in .slipway", async () => {
    const project = await merged();
    expect(Object.keys(filesForPeople(project)).filter((name) => /harness|beside/.test(name))).toEqual([]);
  });
});
