import { confirm } from "@clack/prompts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { answersFor, letters, nothingMissing, patchOf, planFor, type Project } from "../testing/project.ts";

const CANCEL = vi.hoisted(() => Symbol("cancel"));
vi.mock("@clack/prompts", () => ({
  isCancel: (value: unknown) => value === CANCEL,
  confirm: vi.fn(),
  note: vi.fn(),
  select: vi.fn(),
  text: vi.fn(),
}));
afterEach(() => void vi.resetAllMocks());

async function two(): Promise<Project> {
  const project = letters({ "other.spec.md": "# Other\n\nThe second letter file says two.\n" });
  answersFor(project, "other", "src/b.txt");
  await project.slipway(["run", "letters.spec.md", "other.spec.md", "--cassette", project.cassette]);
  return project;
}

const answered = (project: Project) =>
  project
    .sql("SELECT json_extract(context, '$.feature_id') AS id FROM questions WHERE status = 'answered' ORDER BY id")
    .map(({ id }) => id);

describe("several features", () => {
  test("are signed separately and merged with one command", async () => {
    const project = await two();
    const { code, stdout } = await project.slipway(["approve", "letters", "other", "letters"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Approved tree \w+ of letters, signed as kim, valid until .*\.\n.*\nApproved tree \w+ of other, signed as kim, valid until .*\.\n.*\n$/,
    );
    const merged = await project.slipway(["merge", "letters", "other", "--cassette", project.cassette]);
    expect(merged.code).toBe(0);
    expect(project.git("log", "--first-parent", "--format=%s", "main").trim().split("\n").toSorted()).toEqual([
      'Merge "letters: change the letters"',
      'Merge "other: change the letters"',
      "files",
    ]);
    expect((await project.slipway(["merge", "letters", "other"])).stdout.match(/already/g)).toHaveLength(2);
  });

  test("if one does not wait for an approval, none is signed", async () => {
    const project = await two();
    const { code, stderr } = await project.slipway(["approve", "letters", "nobody"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^feature_not_found: There is no feature "nobody"/);
    expect(answered(project)).toEqual([]);
    await project.slipway(["approve", "letters"]);
    expect((await project.slipway(["approve", "other", "letters"])).stderr).toMatch(
      /^question_not_found: "letters" is ready_to_merge and does not wait/,
    );
    expect(answered(project)).toEqual(["letters"]);
  });

  test("--tree needs one named feature, and several waiting features must be named", async () => {
    const project = await two();
    expect((await project.slipway(["approve", "letters", "other", "--tree", "abc"])).stderr).toMatch(
      /^invalid_cli_args: --tree names one tree/,
    );
    expect((await project.slipway(["approve"])).stderr).toMatch(
      /^feature_not_found: There are several features: (other, letters|letters, other)\./,
    );
    expect((await project.slipway(["merge", "other", "letters"])).code).toBe(23);
  });
});

test("after a change of the policy nothing is signed; the run asks again and says why", async () => {
  const project = letters();
  await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette]);
  project.write("slipway/policy.yaml", `${project.read("slipway/policy.yaml")}\nexclusive_areas: [docs]\n`);
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=policy");
  const { code, stdout } = await project.slipway(["approve", "letters"]);
  expect(code).toBe(23);
  expect(stdout).toBe(
    "Nothing was signed for letters: the policy or the gates have changed since it was asked.\n  next: slipway resume (it asks again)\n",
  );
  expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(23);
  expect((await project.slipway(["inbox"])).stdout).toContain("Asked again: the policy or the gates have changed since it was asked.");
  expect((await project.slipway(["answer", "Q2", "approve"])).code).toBe(0);
  expect((await project.slipway(["resume", "--cassette", project.cassette])).code).toBe(0);
});

describe("at a terminal", () => {
  const AT_TERMINAL = { interactive: true };

  test("shows the plan, the change, what passed and where to see more before signing; Enter alone means no", async () => {
    const project = await two();
    vi.mocked(confirm).mockResolvedValueOnce(true).mockResolvedValueOnce(false);
    const { code, stdout } = await project.slipway(["approve", "letters", "other"], AT_TERMINAL);
    expect(code).toBe(23);
    expect(stdout).toContain("letters\nchange the letters\n src/a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n");
    expect(stdout).toContain(
      "passed on this tree: fast, full; $0.03 so far\nfull diff: slipway diff letters\nevidence: slipway evidence letters\n",
    );
    expect(vi.mocked(confirm).mock.calls.map(([{ message, initialValue }]) => [message, initialValue])).toEqual([
      [expect.stringMatching(/^Sign tree \w{10} of letters\?$/), false],
      [expect.stringMatching(/^Sign tree \w{10} of other\?$/), false],
    ]);
    expect(answered(project)).toEqual(["letters"]);
  });

  test("declining signs nothing; --yes does not ask", async () => {
    const project = await two();
    vi.mocked(confirm).mockResolvedValueOnce(CANCEL as never);
    expect((await project.slipway(["approve", "letters"], AT_TERMINAL)).code).toBe(23);
    expect(answered(project)).toEqual([]);
    expect((await project.slipway(["approve", "letters", "--yes"], AT_TERMINAL)).code).toBe(0);
    expect((await project.slipway(["approve", "other", "--json"], AT_TERMINAL)).json()).toMatchObject([{ ok: true, feature: "other" }]);
    expect(confirm).toHaveBeenCalledTimes(1);
    expect(answered(project)).toEqual(["letters", "other"]);
  });
});

test("B22: protected files with a hyphen in their names are shown before the approval, and land", async () => {
  const paths = [".github/workflows/ci-build.yml", ".pre-commit-config.yaml"];
  const project = letters(Object.fromEntries(paths.map((path) => [path, "one\n"])));
  const files = { create: [], modify: paths, delete: [] };
  project.record("planner", "1", planFor("letters", { allowed_areas: [".github", ".pre-commit-config.yaml"], files }));
  const diffs = paths.map((path) => patchOf(path, "one", "two").unified_diff);
  project.record("builder", "1", { ...patchOf("", "one", "two"), unified_diff: diffs.join("") });
  const updates = paths.flatMap((path) => nothingMissing(path).updates);
  project.record("qa", "1", { type: "NOTE", text: "covered", updates });
  const ran = await project.run();
  expect(ran.code, ran.stdout).toBe(23);
  const { stdout } = await project.slipway(["inbox"]);
  for (const path of paths) expect(stdout).toContain(`Look closely: ${path}: changes a file protected by`);
  expect((await project.slipway(["approve", "letters"])).code).toBe(0);
  expect((await project.slipway(["merge", "letters", "--cassette", project.cassette])).code).toBe(0);
  for (const path of paths) expect(project.git("show", `main:${path}`)).toBe("two\n");
});
