import { afterEach, beforeEach, expect, test } from "vitest";
import { changeBetween } from "../../host/git/change.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
beforeEach(async () => {
  scratch = await openScratchKernel();
  feature = lettersOn(scratch);
});
afterEach(() => scratch.close());

test("a candidate names the change, and lists what a person must review closely", async () => {
  const candidate = await feature.ready();
  const { digest } = await changeBetween(scratch.kernel.repository, candidate.base, candidate.tree);
  expect(candidate).toMatchObject({
    change: digest,
    rebuilt: false,
    conflicts: [],
    empty: false,
    flags: ["gates ran without a sandbox: fast, full"],
  });
  expect(candidate.summary).toContain("src/a.txt");
});

test("it is rebuilt on a moved base, also after a first attempt died before it was recorded", async () => {
  await feature.ready();
  scratch.write("src/b.txt", "theirs\n");
  scratch.git("commit", "--quiet", "--all", "--message=theirs");
  const first = await scratch.kernel.features.candidate(callAs(), LETTERS);
  expect(first).toMatchObject({ rebuilt: true, base: scratch.git("rev-parse", "main").trim() });
  expect([feature.file("src/a.txt"), feature.file("src/b.txt")]).toEqual(["two\n", "theirs\n"]);
  // As if the process had died between moving the worktree and writing the row.
  const { db } = scratch.records.database;
  const moved = await feature.row();
  const [base_commit = ""] = scratch.git("rev-parse", "main~1").trim().split("\n");
  await db
    .updateTable("features")
    .set({ base_commit, tree: scratch.git("rev-parse", `${anchorOf()}^{tree}`).trim() })
    .execute();
  const again = await scratch.kernel.features.candidate(callAs(), LETTERS);
  expect(again.tree).toBe(moved.tree);
  expect(feature.file("src/b.txt")).toBe("theirs\n");
});

test("results under other gates do not count: the feature neither merges nor asks for approval until it is gated again", async () => {
  const before = await feature.ready();
  expect(before.outdated).toBe(false);
  Object.assign(scratch.kernel.configuration, { policyHash: "f".repeat(64) });
  const user_approval_token = scratch.sign(before);
  await expect(scratch.kernel.features.merge(callAs(), { ...LETTERS, user_approval_token })).rejects.toMatchObject({
    code: "gate_failed",
    message: expect.stringContaining("under the current policy and gates"),
  });
  const outdated = await scratch.kernel.features.candidate(callAs(), LETTERS);
  expect(outdated).toMatchObject({ outdated: true, rebuilt: false, tree: before.tree, policy_hash: "f".repeat(64) });
  expect((await scratch.kernel.features.standing(LETTERS.feature_id)).gates).toEqual({ plan: "pass" });
  for (const mode of ["fast", "full"]) await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode });
  const again = await scratch.kernel.features.merge(callAs(), { ...LETTERS, user_approval_token });
  expect(again.tree).toBe(before.tree);
});

test("after every mode has run under the new gates, it is no longer outdated", async () => {
  await feature.ready();
  Object.assign(scratch.kernel.configuration, { policyHash: "f".repeat(64) });
  await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "full" });
  expect(await scratch.kernel.features.candidate(callAs(), LETTERS)).toMatchObject({ outdated: true });
  await scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode: "fast" });
  expect(await scratch.kernel.features.candidate(callAs(), LETTERS)).toMatchObject({ outdated: false });
});

function anchorOf(): string {
  const refs = scratch.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n");
  return refs.find((ref) => ref.endsWith("before")) ?? "";
}
