import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WITHOUT_TRIAL } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, expect, test } from "vitest";
import { newFile, NOTHING_MISSING, openWorkshop, patchOf, planFor, resultOf, type Script, type Workshop } from "./testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let shop: Workshop | undefined;
afterEach(async () => {
  await shop?.close();
  shop = undefined;
});

test("[FEA-119] init, planning, arbitration, building, QA, the full gates: in this order, and nothing is merged", async () => {
  shop = await openWorkshop(HAPPY);
  const runId = await shop.start();
  await shop.drive(runId);
  const kinds = (await shop.steps(runId)).map((name) => name.split(":")[0]);
  const wave = (kind: string) => kinds.indexOf(kind);
  const order = [
    "init",
    "planner",
    "locks",
    "plan",
    "builder",
    "patch",
    "gates",
    "qa-entry",
    "qa",
    "verdicts",
    "ready",
    "candidate",
    "review",
  ];
  expect(order.map(wave)).toEqual(order.map(wave).toSorted((a, b) => a - b));
  expect(kinds).not.toContain("merge");
  expect(shop.git("log", "--format=%s", "main").trim()).toBe("start");
});

test("[FEA-124] a phase that uses up its attempts blocks the feature with the reason; its sibling is ready all the same", async () => {
  shop = await openWorkshop({
    ...HAPPY,
    "planner/stuck": [planFor("stuck", { files: { create: ["src/stuck.txt"], modify: [], delete: [] } })],
    "builder/stuck": [newFile("src/elsewhere.txt", "x")],
  });
  await shop.drive(await shop.start("stuck", "letters"));
  const { features } = await shop.kernel.features.dashboard();
  expect(features.map(({ feature_id, status }) => [feature_id, status])).toEqual([
    ["letters", "ready_to_merge"],
    ["stuck", "blocked"],
  ]);
  expect(features[1]?.status_reason).toMatch(/^building used up its attempts; last: policy_violation: .*src\/elsewhere\.txt/s);
  expect(shop.packs("builder", "stuck")).toHaveLength(2);
});

test("[FEA-123] five features never have more gates running than the policy says", async () => {
  const marks = mkdtempSync(join(tmpdir(), "slipway-marks-"));
  const check = `mkdir ${marks}/$$\nls -d ${marks}/*/ | wc -l >> ${marks}/counts\nsleep 0.2\nrmdir ${marks}/$$\n`;
  const names = ["ant", "bee", "cat", "dog", "eel"];
  shop = await openWorkshop(
    Object.fromEntries([
      ...names.flatMap((name) => [
        [`planner/${name}`, [planFor(name, { files: { create: [`src/${name}.txt`], modify: [], delete: [] } })]],
        [`builder/${name}`, [newFile(`src/${name}.txt`, name)]],
      ]),
      ["qa", [NOTHING_MISSING]],
    ]),
    { files: { "check.sh": check }, policy: { "supervisor: {": "supervisor: { max_parallel_gate_runs: 1,", ...WITHOUT_TRIAL } },
  );
  await shop.drive(await shop.start(...names));
  expect((await shop.open()).map(({ kind }) => kind)).toEqual(names.map(() => "approval"));
  const counts = readFileSync(join(marks, "counts"), "utf8").trim().split("\n").map(Number);
  expect(counts).toHaveLength(2 * names.length);
  expect(Math.max(...counts)).toBe(1);
});

test("where the policy asks for no approval, a feature lands by itself", async () => {
  shop = await openWorkshop(HAPPY, { policy: { "merge_policy: {": "merge_policy: { require_user_approval: false," } });
  const runId = await shop.start();
  expect(resultOf(await shop.drive(runId))).toMatchObject({ status: "merged" });
  expect(shop.git("show", "main:src/a.txt")).toBe("two\n");
  expect(await shop.open()).toEqual([]);
});

test("[FEA-136] whoever is asked to approve is shown the diff, the summary and where the evidence is", async () => {
  shop = await openWorkshop(HAPPY);
  const runId = await shop.start();
  await shop.drive(runId);
  const [question] = await shop.open();
  expect(question?.context["review"]).toMatchObject({
    diff: { stat: expect.stringContaining("src/a.txt"), files: [{ path: "src/a.txt", status: "M" }] },
    summary: { status: "ready_to_merge", gates: { plan: "pass", fast: "pass", full: "pass" }, plan_summary: "change the letters" },
    evidence: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining("logs") })]),
  });
  expect(question?.body).toContain("change the letters");
  const steps = await shop.steps(runId);
  expect(steps.at(-1)).toBe("review:1");
  await shop.close();

  // Without the pack nobody is asked.
  shop = await openWorkshop(HAPPY);
  shop.kernel.features.repoDiffBundle = () => Promise.reject(new Error("no bundle"));
  expect(resultOf(await shop.drive(await shop.start()))).toMatchObject({ status: "failed", landing: null });
  expect(await shop.open()).toEqual([]);
});
