import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WITHOUT_TRIAL } from "@slipway/kernel/change/testing/scratch-kernel";
import { SlipwayError } from "@slipway/agents/errors";
import { afterEach, describe, expect, test } from "vitest";
import type { FeatureResult } from "../change/feature-run.ts";
import { newFile, NOTHING_MISSING, openWorkshop, planFor, type Script, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

/** Each feature creates its own file. */
function apart(...names: readonly string[]): Script {
  return Object.fromEntries([
    ...names.flatMap((name) => [
      [`planner/${name}`, [planFor(name, { files: { create: [`src/${name}.txt`], modify: [], delete: [] } })]],
      [`builder/${name}`, [newFile(`src/${name}.txt`, name)]],
    ]),
    ["qa", [NOTHING_MISSING]],
  ]);
}

const asked = async (kind: string, feature?: string) => {
  const found = (await services.open()).filter(
    (one) => one.kind === kind && (feature === undefined || one.context["feature_id"] === feature),
  );
  return found;
};
const approve = async (feature: string) => services.approve((await asked("approval", feature))[0]!);
function results(outcome: { status: string; value?: unknown }): Record<string, string> {
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return Object.fromEntries((outcome.value as FeatureResult[]).map(({ feature_id, status }) => [feature_id, status]));
}

describe("something is in the way of one feature's worktree", () => {
  const folder = () => join(services.root, ".worktrees/one");
  async function folderInTheWay() {
    services = await openWorkshop(apart("one", "two"));
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), "mine.txt"), "somebody's\n");
    const runId = await services.start("one", "two");
    expect((await services.drive(runId)).status).toBe("waiting");
    const [mend] = await asked("mend", "one");
    expect(mend).toMatchObject({
      title: "one cannot continue: operation_conflict",
      body: expect.stringMatching(/is not a worktree of this repository.*next: Move .* away/s),
      options: [{ value: "retry" }, { value: "give_up" }],
    });
    return { runId, mend: mend! };
  }

  test("a folder: that feature asks, and the other one lands in the meantime", async () => {
    const { runId, mend } = await folderInTheWay();
    await approve("two");
    expect((await services.drive(runId)).status).toBe("waiting");
    expect(services.git("show", "main:src/two.txt")).toBe("two\n");
    renameSync(folder(), join(services.root, "moved-away"));
    await services.answer(mend, { decision: "retry" });
    await services.drive(runId);
    await approve("one");
    expect(results(await services.drive(runId))).toEqual({ one: "merged", two: "merged" });
    expect(services.read("moved-away/mine.txt")).toBe("somebody's\n");
  });

  test("a folder: given up, the feature ends before it began and the folder is left alone", async () => {
    const { runId, mend } = await folderInTheWay();
    await services.answer(mend, { decision: "give_up", comment: "another time" });
    await approve("two");
    expect(results(await services.drive(runId))).toEqual({ one: "failed", two: "merged" });
    expect(services.read(".worktrees/one/mine.txt")).toBe("somebody's\n");
  });

  test.each([
    ["the branch is checked out elsewhere", "operation_conflict", (path: string) => ["worktree", "add", "--quiet", "-b", "one", path]],
    ["the branch has other commits", "feature_slug_collision", () => ["branch", "one", "main~1"]],
  ])("%s", async (_what, code, command) => {
    services = await openWorkshop(apart("one", "two"));
    services.write("src/b.txt", "more\n");
    services.git("commit", "--quiet", "--all", "--message=more");
    services.git(...command(join(mkdtempSync(join(tmpdir(), "slipway-elsewhere-")), "tree")));
    const runId = await services.start("one", "two");
    await services.drive(runId);
    const [mend] = await asked("mend", "one");
    expect(mend?.context).toMatchObject({ code });
    await approve("two");
    await services.answer(mend!, { decision: "give_up" });
    expect(results(await services.drive(runId))).toEqual({ one: "failed", two: "merged" });
  });
});

test("a person may give up instead of fixing a failure; the work so far stays reachable", async () => {
  services = await openWorkshop(apart("one"), { policy: WITHOUT_TRIAL });
  services.breakSandbox(new SlipwayError("sandbox_unavailable", "There is no sandbox."));
  const runId = await services.start("one");
  await services.drive(runId);
  await services.answer((await asked("mend"))[0]!, { decision: "give_up", comment: "not on this machine" });
  expect(results(await services.drive(runId))).toEqual({ one: "failed" });
  expect(await services.kernel.features.standing("one")).toMatchObject({ status: "failed", status_reason: "not on this machine" });
  const anchors = services.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n");
  expect(anchors.map((ref) => services.git("ls-tree", "-r", "--name-only", ref)).join("\n")).toContain("src/one.txt");
});

test("a feature that waits for its checkout to be cleared does not hold up those behind it", async () => {
  services = await openWorkshop(apart("one", "two"));
  const runId = await services.start("one", "two");
  await services.drive(runId);
  await approve("one");
  await approve("two");
  services.write("src/one.txt", "in the way\n");
  expect((await services.drive(runId)).status).toBe("waiting");
  expect((await services.open()).map(({ kind, context }) => [kind, context["feature_id"]])).toEqual([["mend", "one"]]);
  expect(services.git("show", "main:src/two.txt")).toBe("two\n");
  renameSync(join(services.root, "src/one.txt"), join(services.root, "kept.txt"));
  await services.answer((await asked("mend"))[0]!, { decision: "retry" });
  expect(results(await services.drive(runId))).toEqual({ one: "merged", two: "merged" });
});

test("a feature with an unexpected error at landing asks; its sibling continues, and the run reports both results", async () => {
  services = await openWorkshop(apart("one", "two"));
  const runId = await services.start("one", "two");
  await services.drive(runId);
  const { merge } = services.kernel.features;
  services.kernel.features.merge = (call, input) =>
    input.feature_id === "one" ? Promise.reject(new SlipwayError("gate_failed", "nobody ran it")) : merge(call, input);
  await approve("one");
  expect((await services.drive(runId)).status).toBe("waiting");
  const [stalled] = await asked("blocked");
  expect(stalled?.body).toContain("nobody ran it");
  await services.answer(stalled!, { decision: "give_up" });
  await approve("two");
  expect(results(await services.drive(runId))).toEqual({ one: "failed", two: "merged" });
});
