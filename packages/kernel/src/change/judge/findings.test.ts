import { afterEach, expect, test } from "vitest";
import { checksOf } from "./evidence/checks.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, replaceLine, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";

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

test("a file that git ignores, also with a name that is pathspec magic", async () => {
  const { flags } = await candidateOf(
    { ".gitignore": "build/\n*.log\n", "check.sh": "true\n" },
    { create: ["build/out.txt", ":(top)x.log", "src/new.txt"] },
    addFile("build/out.txt", "x") + addFile(":(top)x.log", "x") + addFile("src/new.txt", "x"),
  );
  expect(flags.toSorted()).toEqual([":(top)x.log: adds a file that git ignores", "build/out.txt: adds a file that git ignores"]);
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
