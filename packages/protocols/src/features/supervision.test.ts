import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WITHOUT_TRIAL } from "@slipway/kernel/change/testing/scratch-kernel";
import { afterEach, expect, test } from "vitest";
import { newFile, NOTHING_MISSING, openWorkshop, patchOf, planFor, resultOf, type Script, type Workshop } from "./testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let services: Workshop | undefined;
afterEach(async () => {
  await services?.close();
  services = undefined;
});

test("[FEA-119] init, planning, arbitration, building, QA, the full gates: in this order, and nothing is merged", async () => {
  services = await openWorkshop(HAPPY);
  const runId = await services.start();
  await services.drive(runId);
  const kinds = (await services.steps(runId)).map((name) => name.split(":")[0]);
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
  expect(services.git("log", "--format=%s", "main").trim()).toBe("start");
});

test("[FEA-124] a phase that uses up its attempts blocks its feature with the reason, but not its sibling", async () => {
  services = await openWorkshop({
    ...HAPPY,
    "planner/stuck": [planFor("stuck", { files: { create: ["src/stuck.txt"], modify: [], delete: [] } })],
    "builder/stuck": [newFile("src/elsewhere.txt", "x")],
  });
  await services.drive(await services.start("stuck", "letters"));
  const { features } = await services.kernel.features.dashboard();
  expect(features.map(({ feature_id, status }) => [feature_id, status])).toEqual([
    ["letters", "ready_to_merge"],
    ["stuck", "blocked"],
  ]);
  expect(features[1]?.status_reason).toMatch(/^building used up its attempts; last: policy_violation: .*src\/elsewhere\.txt/s);
  expect(services.packs("builder", "stuck")).toHaveLength(2);
});

test("[FEA-123] five features never have more gates running than the policy says", async () => {
  const marks = mkdtempSync(join(tmpdir(), "slipway-marks-"));
  const check = `mkdir ${marks}/$$\nls -d ${marks}/*/ | wc -l >> ${marks}/counts\nsleep 0.2\nrmdir ${marks}/$$\n`;
  const names = ["ant", "bee", "cat", "dog", "eel"];
  services = await openWorkshop(
    Object.fromEntries([
      ...names.flatMap((name) => [
        [`planner/${name}`, [planFor(name, { files: { create: [`src/${name}.txt`], modify: [], delete: [] } })]],
        [`builder/${name}`, [newFile(`src/${name}.txt`, name)]],
      ]),
      ["qa", [NOTHING_MISSING]],
    ]),
    { files: { "check.sh": check }, policy: { "supervisor: {": "supervisor: { max_parallel_gate_runs: 1,", ...WITHOUT_TRIAL } },
  );
  await services.drive(await services.start(...names));
  expect((await services.open()).map(({ kind }) => kind)).toEqual(names.map(() => "approval"));
  const counts = readFileSync(join(marks, "counts"), "utf8").trim().split("\n").map(Number);
  expect(counts).toHaveLength(2 * names.length);
  expect(Math.max(...counts)).toBe(1);
});

test("if the policy requires no approval, a feature lands without a question", async () => {
  services = await openWorkshop(HAPPY, { policy: { "merge_policy: {": "merge_policy: { require_user_approval: false," } });
  const runId = await services.start();
  expect(resultOf(await services.drive(runId))).toMatchObject({ status: "merged" });
  expect(services.git("show", "main:src/a.txt")).toBe("two\n");
  expect(await services.open()).toEqual([]);
});

test("[FEA-136] the approval question shows the diff, the summary and the location of the evidence", async () => {
  services = await openWorkshop(HAPPY);
  const runId = await services.start();
  await services.drive(runId);
  const [question] = await services.open();
  expect(question?.context["review"]).toMatchObject({
    diff: { stat: expect.stringContaining("src/a.txt"), files: [{ path: "src/a.txt", status: "M" }] },
    summary: { status: "ready_to_merge", gates: { plan: "pass", fast: "pass", full: "pass" }, plan_summary: "change the letters" },
    evidence: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining("logs") })]),
  });
  expect(question?.body).toContain("change the letters");
  const steps = await services.steps(runId);
  expect(steps.at(-1)).toBe("review:1");
  await services.close();

  // Without the review there is no question.
  services = await openWorkshop(HAPPY);
  services.kernel.features.repoDiffBundle = () => Promise.reject(new Error("no bundle"));
  expect(resultOf(await services.drive(await services.start()))).toMatchObject({ status: "failed", landing: null });
  expect(await services.open()).toEqual([]);
});
