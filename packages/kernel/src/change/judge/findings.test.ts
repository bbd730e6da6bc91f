import { afterEach, expect, test } from "vitest";
import { checksOf } from "./evidence/checks.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, POLICY, replaceLine, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

async function candidateOf(files: Record<string, string>, plan: Record<string, string[]>, unified_diff: string) {
  scratch = await openScratchKernel(files);
  const feature = lettersOn(scratch);
  await feature.planned({ allowed_areas: ["."], files: { create: [], modify: [], delete: [], ...plan } });
  await scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
  return scratch.kernel.features.candidate(callAs(), LETTERS);
}

test("findings in the change are shown and stored as evidence", async () => {
  const before = 'test("adds", () => assert.equal(add(1, 2), 3));';
  const after = 'test("adds", () => assert.equal(add(1, 2), 4));';
  const { flags, tree } = await candidateOf(
    { "test/a.test.js": `${before}\n`, "check.sh": "true\n" },
    { modify: ["test/a.test.js"] },
    replaceLine("test/a.test.js", before, after),
  );
  expect(flags).toEqual(['test/a.test.js: changes or drops assertions in "adds"']);
  const checks = await checksOf(scratch.records.database.db, { feature_id: "letters", tree });
  expect(checks).toMatchObject([
    { kind: "scrutiny", name: "tests_weakened", status: "fail", counts: { path: "test/a.test.js", message: expect.any(String) } },
  ]);
});

const IGNORES = { ".gitignore": "build/\n*.log\n", "check.sh": "true\n" };

test("a file that git ignores", async () => {
  const create = ["build/out.txt", "src/new.txt"];
  const { flags } = await candidateOf(IGNORES, { create }, addFile("build/out.txt", "x") + addFile("src/new.txt", "x"));
  expect(flags).toEqual(["build/out.txt: adds a file that git ignores"]);
});

test("a file that git ignores, which a person has committed with a name that is pathspec magic", async () => {
  await candidateOf(IGNORES, { create: ["src/new.txt"] }, addFile("src/new.txt", "x"));
  const inWorktree = (...args: string[]) => scratch.git("-C", ".worktrees/letters", ...args);
  scratch.write(".worktrees/letters/:(top)x.log", "x");
  inWorktree("add", "--force", "--", "./:(top)x.log", "src/new.txt");
  inWorktree("commit", "--quiet", "--message", "mine");
  await scratch.kernel.features.adopt(callAs("person", "kim"), LETTERS);
  expect((await scratch.kernel.features.candidate(callAs(), LETTERS)).flags).toEqual([":(top)x.log: adds a file that git ignores"]);
});

test("characters that hide text are looked for in files of any size, and in sources with NUL", async () => {
  const large = `${"x".repeat(600_000)}\u202e`;
  const { flags } = await candidateOf(
    {
      "check.sh": "true\n",
      "slipway/policy.yaml": POLICY.replace("enforce_allowed_areas: true", "enforce_allowed_areas: true, max_bytes: 2000000"),
    },
    { create: ["src/large.js", "src/zero.js", "picture.png", "src/\u0430.txt"] },
    addFile("src/large.js", large) +
      addFile("src/zero.js", "// \0") +
      addFile("picture.png", "\0\u202e") +
      addFile('"src/\\320\\260.txt"', "x").replaceAll(/([ab])\/"/g, '"$1/'),
  );
  expect(flags.toSorted()).toEqual([
    "src/large.js: line 1 has U+202E, which reorders the text around it on the screen",
    "src/zero.js: line 1 has U+0000, which makes git show nothing of the whole file",
    "src/\u0430.txt: looks like src/a.txt, but is written in other letters",
  ]);
});

test("a secret of this machine; binary and too large files are skipped", async () => {
  const { flags } = await candidateOf(
    { "check.sh": "true\n" },
    { create: ["src/new.txt", "src/large.test.js"] },
    addFile("src/new.txt", "token = a-very-secret-value") + addFile("src/large.test.js", `test("x", () => ${"1 + ".repeat(140_000)}1);`),
  );
  expect(flags).toEqual(["src/new.txt: adds an apparent secret"]);
});

test("a change that the specification asks for is a note", async () => {
  scratch = await openScratchKernel({ "check.sh": "true\n", "src/a.test.txt": "one\n" });
  const { features } = scratch.kernel;
  const spec_digest = await scratch.records.objects.put(Buffer.from("# Letters\n\nChange src/a.test.txt.\n"));
  await features.init(callAs(), { ...LETTERS, run_id: "run1", spec_source: "letters.md", spec_digest });

  const plan_json = scratchPlan("letters", { files: { create: [], modify: ["src/a.test.txt"], delete: [] } });
  await features.submitPlan(callAs(), { ...LETTERS, plan_json });
  await features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.test.txt", "one", "two") });
  expect(await features.candidate(callAs(), LETTERS)).toMatchObject({
    flags: [],
    notes: ["src/a.test.txt: changes a test that was there before, as the specification says"],
  });
});
