import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs as call, LETTERS as letters, lettersOn } from "../testing/letters.ts";
import { footprint, leftoversOfCycles } from "../testing/leftovers.ts";
import { openScratchKernel, PERSON, POLICY, scratchPlan, type ScratchKernel } from "../testing/scratch-kernel.ts";
import { layoutAt } from "../../host/layout.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
const reopen = async (files?: Record<string, string>) => {
  scratch = await openScratchKernel(files);
  feature = lettersOn(scratch);
};
beforeEach(() => reopen());
afterEach(() => scratch.close());

const remove = (more: { dry_run?: boolean; force?: boolean } = {}, by = call()) =>
  scratch.kernel.features.delete(by, { ...letters, ...more });
const codes = (reasons: readonly { code: string }[]) => reasons.map(({ code }) => code);
const rows = async (table: "features" | "plans" | "notes" | "merges" | "locks" | "checks") => {
  const all = await scratch.records.database.db.selectFrom(table).selectAll().execute();
  return table === "locks" ? all.filter((row) => "holder" in row && row.holder !== null) : all;
};
const everything = () => ({
  ...footprint(scratch),
  head: scratch.git("rev-parse", "HEAD", "main"),
  status: scratch.git("status", "--porcelain"),
});

describe("[FEA-170] what is removed", () => {
  test("everything of a feature in planning, without force, and the same specification can be started again", async () => {
    await feature.init();
    const { steps, reasons } = await remove();
    expect(reasons).toEqual([]);
    expect(steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      "worktree removed",
      "branch removed",
      "files removed",
      "locks absent",
      "queue absent",
      "index removed",
    ]);
    expect(await rows("features")).toEqual([]);
    expect((await feature.init()).version).toBe(1);
    expect(feature.file("src/a.txt")).toBe("one\n");
  });

  test("after twenty times nothing is left: no worktree, no ref, no file", { timeout: 120_000 }, async () => {
    expect(await leftoversOfCycles(scratch, 20)).toEqual([]);
  });

  test("locks, plan and index entry of a feature in progress; the journal keeps its history", async () => {
    await feature.init();
    await scratch.kernel.features.acquireLocks(call(), { ...letters, resources: ["openapi"] });
    const contracts = { openapi: "modify", events: "none", db: "none" };
    await scratch.kernel.features.submitPlan(call(), { ...letters, plan_json: scratchPlan("letters", { contracts }) });
    await scratch.kernel.features.logAppend(call(), { ...letters, note: "a decision" });
    const { steps } = await remove({ force: true });
    expect(steps).toContainEqual({ step: "locks", outcome: "removed", detail: "openapi" });
    for (const table of ["features", "plans", "notes", "locks"] as const) expect(await rows(table)).toEqual([]);
    expect(JSON.parse(scratch.read(".slipway/features/index.json"))).toMatchObject({ active: [], locks: { openapi: null } });
    const event = await scratch.records.database.db
      .selectFrom("events")
      .select("payload")
      .where("name", "=", "feature.delete")
      .executeTakeFirst();
    expect(event?.payload).toContain("a decision");
    expect(event?.payload).toContain("change the letters");
  });

  test("a plan that waited for it is reconsidered", async () => {
    await scratch.close();
    await reopen({ "slipway/policy.yaml": `${POLICY}collision_policy: block\n` });
    await feature.planned();
    await lettersOn(scratch).init("second");
    const second = { feature_id: "second", plan_json: scratchPlan("second") };
    await expect(scratch.kernel.features.submitPlan(call(), second)).rejects.toMatchObject({ code: "blocked_by_collision_policy" });
    expect((await scratch.kernel.features.delete(call(), { feature_id: "second", dry_run: true })).removes.queue).toHaveLength(1);
    await remove({ force: true });
    expect((await scratch.kernel.features.getState("second")).state).toMatchObject({ status: "building", gates: { plan: "pass" } });
  });

  test("gate results of the old feature do not count for a new one of the same name", async () => {
    await feature.built();
    await scratch.kernel.features.runGates(call(), { ...letters, mode: "fast" });
    await remove({ force: true });
    await feature.built();
    await expect(scratch.kernel.features.changeStatus(call(), { ...letters, to: "qa", reason: "r" })).rejects.toMatchObject({
      code: "invalid_status_transition",
    });
    expect((await rows("checks")).length).toBeGreaterThan(0);
  });

  test.each(["merge_commit", "squash", "rebase"] as const)(
    "a merged one (%s) is removed without force, and its merge stays",
    async (merge_strategy) => {
      await feature.ready();
      const words = { ...letters, merge_strategy, commit_message: "Letters" };
      const candidate = await scratch.kernel.features.candidate(call(), words);
      const { commit, feature_commit } = await scratch.kernel.features.merge(call(), {
        ...words,
        user_approval_token: scratch.sign(candidate),
      });
      const { reasons } = await remove();
      expect(reasons).toEqual([]);
      expect(scratch.git("rev-parse", "main").trim()).toBe(commit);
      expect(scratch.git("for-each-ref", "--contains", feature_commit).trim()).not.toBe("");
      expect(existsSync(join(scratch.root, ".worktrees/letters"))).toBe(false);
    },
  );
});

describe("[FEA-168] a dry run", () => {
  test("lists what would be removed and every reason against it, and changes nothing", async () => {
    await feature.built();
    await scratch.kernel.features.acquireLocks(call(), { ...letters, resources: ["events"] });
    scratch.git("-C", ".worktrees/letters", "commit", "--quiet", "--all", "--message=mine");
    scratch.write(".worktrees/letters/stray.txt", "stray\n");
    // A folder prepared for the next patch appears there by itself, and is removed by itself when it is not used.
    const lasting = (paths: readonly string[]) => paths.filter((path) => !path.startsWith(".git/slipway/tmp/"));
    const bytes = () => [
      { ...everything(), files: lasting(everything().files) },
      scratch.git("count-objects", "-v"),
      readFileSync(`${layoutAt(scratch.root).database}-wal`).toString("hex"),
      readFileSync(layoutAt(scratch.root).database).toString("hex"),
    ];
    const before = bytes();
    const survey = await remove({ dry_run: true, force: true });
    expect(survey).toMatchObject({
      dry_run: true,
      steps: [],
      removes: { worktree: join(scratch.root, ".worktrees/letters"), branch: "letters", locks: ["events"], queue: [] },
    });
    expect(survey.removes.files).toEqual(
      expect.arrayContaining([".slipway/features/letters/spec.md", ".slipway/features/letters/state.md"]),
    );
    expect(codes(survey.reasons)).toEqual(["uncommitted_changes", "unmerged_commits", "not_finished"]);
    expect(bytes()).toEqual(before);
  });

  test("is for roles that may delete", async () => {
    await feature.init();
    await expect(remove({ dry_run: true }, call("orchestrator"))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    expect((await remove({ dry_run: true }, { actor: PERSON, operationId: "x" })).reasons).toEqual([]);
  });
});

describe("[FEA-169] without force", () => {
  test.each([
    ["uncommitted changes", "uncommitted_changes", () => scratch.write(".worktrees/letters/stray.txt", "stray\n")],
    [
      "commits the base lacks",
      "unmerged_commits",
      () => scratch.git("-C", ".worktrees/letters", "commit", "--quiet", "--allow-empty", "--message=mine"),
    ],
    [
      "a status beyond planning",
      "not_finished",
      () => scratch.kernel.features.submitPlan(call(), { ...letters, plan_json: scratchPlan("letters") }),
    ],
  ])("%s refuse it, and nothing is removed", async (_what, code, make) => {
    await feature.init();
    await make();
    const before = [everything(), await feature.row()];
    await expect(remove()).rejects.toMatchObject({ code: "delete_refused", details: { reasons: [expect.objectContaining({ code })] } });
    expect([everything(), await feature.row()]).toEqual(before);
    expect((await remove({ force: true })).steps.length).toBeGreaterThan(5);
  });

  test("all reasons are listed at once", async () => {
    await feature.built();
    scratch.git("-C", ".worktrees/letters", "commit", "--quiet", "--allow-empty", "--message=mine");
    await expect(remove()).rejects.toMatchObject({
      details: { reasons: ["uncommitted_changes", "unmerged_commits", "not_finished"].map((code) => expect.objectContaining({ code })) },
    });
  });
});

describe("with force no work is lost", () => {
  test("bytes and commits that would become unreachable get a ref, which the answer names", async () => {
    await feature.built();
    scratch.git("-C", ".worktrees/letters", "commit", "--quiet", "--all", "--message=mine");
    const commit = scratch.git("rev-parse", "letters").trim();
    scratch.write(".worktrees/letters/stray.txt", "stray\n");
    const { steps } = await remove({ force: true });
    const kept = steps.filter(({ step }) => step === "keep").map(({ detail }) => /refs\/slipway\/\S+/.exec(detail)?.[0]);
    expect(scratch.git("show", `${kept[0]}:stray.txt`)).toBe("stray\n");
    expect(scratch.git("rev-parse", String(kept[1])).trim()).toBe(commit);
  });

  test("a file of a person in the feature's folder goes to the object store", async () => {
    await feature.init();
    writeFileSync(join(scratch.root, ".slipway/features/letters/spec.md"), "# Letters, edited\n");
    writeFileSync(join(scratch.root, ".slipway/features/letters/my notes.txt"), "mine\n");
    const { steps } = await remove();
    const places = steps.filter(({ step }) => step === "keep").map(({ detail }) => /is in (\S+)$/.exec(detail)?.[1] ?? "");
    expect(places.map((place) => readFileSync(place, "utf8")).toSorted()).toEqual(["# Letters, edited\n", "mine\n"]);
  });

  test("an embedded repository is never deleted", async () => {
    await feature.init();
    mkdirSync(join(scratch.root, ".worktrees/letters/inner"), { recursive: true });
    scratch.git("-C", ".worktrees/letters/inner", "init", "--quiet");
    expect(codes((await remove({ dry_run: true })).reasons)).toContain("embedded_repository");
    await expect(remove({ force: true })).rejects.toMatchObject({ code: "delete_refused" });
    expect(existsSync(join(scratch.root, ".worktrees/letters/inner/.git"))).toBe(true);
  });
});
