import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { qaTestIndex } from "./qa/schema.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { addFile, openScratchKernel, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
beforeEach(async () => {
  scratch = await openScratchKernel({ "src/a.txt": `${LINES.join("\n")}\n` });
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

const patch = (unified_diff: string) => scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
const view = () => scratch.kernel.features.qaIndex("letters");
const update = (input: Record<string, unknown>, as: Parameters<typeof callAs>[0] = "qa") =>
  scratch.kernel.features.updateQaIndex(callAs(as), { ...LETTERS, ...input } as never);
const projected = () => qaTestIndex.parse(JSON.parse(scratch.read(".slipway/features/letters/qa_test_index.json")));

const header = "diff --git a/src/a.txt b/src/a.txt\n--- a/src/a.txt\n+++ b/src/a.txt\n";

/** Changes one line of the current src/a.txt, with a line of context on each side. */
function edit(line: number, to: string): string {
  const [above, from, below] = feature
    .file("src/a.txt")
    .split("\n")
    .slice(line - 2, line + 1);
  return `${header}@@ -${line - 1},3 +${line - 1},3 @@\n ${above}\n-${from}\n+${to}\n ${below}\n`;
}

const insertAtTop = (text: string) => `${header}@@ -1 +1,2 @@\n+${text}\n ${feature.file("src/a.txt").split("\n")[0]}\n`;

const summary = async () =>
  (await view()).index.items.map(({ path, hunks: [hunk], status }) => `${path} ${hunk?.change_type} ${hunk?.start_line} ${status}`);

describe("the QA index of a feature", () => {
  test("[FEA-057] is empty before the first patch; then it matches its schema, also as a file", async () => {
    await feature.planned();
    expect((await view()).index).toMatchObject({ feature_id: "letters", version: 0, items: [] });
    expect(projected()).toEqual((await view()).index);
    const { tree } = await patch(addFile("src/new.txt", "three") + edit(10, "ten"));
    const { base_commit } = await feature.row();
    expect((await view()).index).toEqual({
      feature_id: "letters",
      version: 1,
      source_diff_ref: `${base_commit}..${tree}`,
      items: [
        {
          path: "src/a.txt",
          hunks: [{ start_line: 10, end_line: 10, change_type: "modified" }],
          required_tests: ["fast:check", "full:check"],
          status: "pending",
        },
        {
          path: "src/new.txt",
          hunks: [{ start_line: 1, end_line: 1, change_type: "added" }],
          required_tests: ["fast:check", "full:check"],
          status: "pending",
        },
      ],
    });
    expect(projected()).toEqual((await view()).index);
  });

  test("[FEA-058] every patch aligns it: unchanged hunks keep status and evidence, changed ones are pending, reverted ones are removed", async () => {
    await feature.planned();
    await patch(edit(5, "five") + addFile("src/new.txt", "three"));
    await patch(edit(15, "fifteen"));
    const passed = (path: string, line: number) => ({ path, hunks: [{ start_line: line, end_line: line }], status: "passed" });
    await update({
      expected_version: 2,
      updates: [passed("src/a.txt", 5), passed("src/a.txt", 15), passed("src/new.txt", 1)],
      evidence_refs: ["gate-1"],
    });
    await patch(edit(15, "FIFTEEN"));
    expect(await summary()).toEqual(["src/a.txt modified 5 passed", "src/a.txt modified 15 pending", "src/new.txt added 1 passed"]);
    await patch(insertAtTop("new first line"));
    expect(await summary()).toEqual([
      "src/a.txt added 1 pending",
      "src/a.txt modified 6 passed",
      "src/a.txt modified 16 pending",
      "src/new.txt added 1 passed",
    ]);
    const { tree } = await patch(
      "diff --git a/src/new.txt b/src/new.txt\ndeleted file mode 100644\n--- a/src/new.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-three\n",
    );
    const { index } = await view();
    expect(index.items.map(({ path }) => path)).toEqual(Array(3).fill("src/a.txt"));
    expect(index.items[1]).toMatchObject({ status: "passed", evidence_refs: ["gate-1"] });
    expect(index).toMatchObject({ version: 6, source_diff_ref: `${(await feature.row()).base_commit}..${tree}` });
    expect(projected()).toEqual(index);
  });

  test("[FEA-058] a refused patch does not change it", async () => {
    await feature.planned();
    await patch(edit(5, "five"));
    const before = await view();
    await expect(patch(replaceLine("src/b.txt", "one", "two"))).rejects.toMatchObject({ code: "policy_violation" });
    expect(await view()).toEqual(before);
  });

  test("it follows the feature onto a moved base, and a restart empties it", async () => {
    await feature.planned();
    await patch(edit(15, "fifteen"));
    await update({ expected_version: 1, updates: [{ path: "src/a.txt", hunks: [{ start_line: 15, end_line: 15 }], status: "passed" }] });
    scratch.write("src/a.txt", `theirs\n${LINES.join("\n")}\n`);
    scratch.git("commit", "--quiet", "--all", "--message=theirs");
    const { base, tree, rebuilt } = await scratch.kernel.features.candidate(callAs(), LETTERS);
    expect(rebuilt).toBe(true);
    expect(await summary()).toEqual(["src/a.txt modified 16 passed"]);
    expect((await view()).index).toMatchObject({ version: 3, source_diff_ref: `${base}..${tree}` });
    expect(JSON.parse((await feature.row()).gates)).toEqual({ plan: "pass" });
    await scratch.kernel.features.restart(callAs(), LETTERS);
    expect((await view()).index).toMatchObject({ version: 4, items: [] });
    expect(projected()).toEqual((await view()).index);
  });
});

describe("qa.test_index_update", () => {
  const passed = { path: "src/a.txt", hunks: [{ start_line: 5, end_line: 5 }], status: "passed" };
  beforeEach(async () => {
    await feature.planned();
    await patch(edit(5, "five") + addFile("src/new.txt", "three"));
  });

  test("[FEA-098] raises the version by one for permitted roles, and refuses others", async () => {
    let expected_version = 1;
    for (const role of ["qa", "orchestrator", "system"] as const) {
      expect((await update({ expected_version, updates: [passed] }, role)).index.version).toBe(++expected_version);
    }
    for (const role of ["builder", "planner", "person"] as const)
      await expect(update({ expected_version, updates: [passed] }, role)).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    expect((await view()).index.version).toBe(4);
    expect((await feature.row()).version).toBe(3);
  });

  test("[FEA-098] [FEA-014] a stale version is qa_index_version_conflict with both numbers, and changes nothing; the repeated call may succeed", async () => {
    const before = await view();
    await expect(update({ expected_version: 0, updates: [passed] })).rejects.toMatchObject({
      code: "qa_index_version_conflict",
      details: { expected_version: 0, actual_version: 1, retryable: true },
    });
    expect(await view()).toEqual(before);
    expect(projected()).toEqual(before.index);
  });

  test("[FEA-099] one bad update refuses the batch", async () => {
    const before = await view();
    const bad = { path: "src/new.txt", status: "waived" };
    await expect(update({ expected_version: 1, updates: [passed, bad] })).rejects.toMatchObject({
      code: "schema_validation_failed",
      details: { violations: [{ pointer: "/updates/1", rule: "hunk_reference" }] },
    });
    expect(await view()).toEqual(before);
  });

  test("[FEA-057] [FEA-097] returns counts, and open hunks by file", async () => {
    await update({
      expected_version: 1,
      updates: [passed, { path: "src/new.txt", hunks: [{ start_line: 1, end_line: 1 }], status: "failed" }],
    });
    const after = await view();
    expect(after.counts).toEqual({ pending: 0, running: 0, passed: 1, failed: 1, waived: 0 });
    const required_tests = ["fast:check", "full:check"];
    expect(after.pending).toEqual([
      { path: "src/new.txt", hunks: [{ start_line: 1, end_line: 1, change_type: "added", status: "failed", required_tests }] },
    ]);
    expect(projected()).toEqual(after.index);
  });

  test("the same operation twice counts once", async () => {
    const call = callAs("qa");
    const input = { ...LETTERS, expected_version: 1, updates: [passed] } as never;
    const first = await scratch.kernel.features.updateQaIndex(call, input);
    expect(await scratch.kernel.features.updateQaIndex(call, input)).toEqual(first);
    expect((await view()).index.version).toBe(2);
  });
});
