import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { FeatureResult } from "../change/feature-run.ts";
import { newFile, NOTHING_MISSING, openWorkshop, patchOf, planFor, type Script, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

const FIVE = ["ant", "bee", "cat", "dog", "eel"] as const;

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

/** Features that all change the one line of src/a.txt, each to its own name. */
function together(...names: readonly string[]): Script {
  const before = ["one", ...names];
  return Object.fromEntries([
    ...names.flatMap((name, index) => [
      [`planner/${name}`, [planFor(name, { files: { create: [], modify: ["src/a.txt"], delete: [] } })]],
      [`builder/${name}`, [patchOf("src/a.txt", String(before[index]), name)]],
    ]),
    ["qa", [NOTHING_MISSING]],
  ]);
}

const statuses = async () => {
  const { features } = await services.kernel.features.dashboard();
  return Object.fromEntries(features.map(({ feature_id, status }) => [feature_id, status]));
};
function results(outcome: { status: string; value?: unknown }): string[] {
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return (outcome.value as FeatureResult[]).map(({ status }) => status);
}
const gateRuns = async () =>
  (await services.engine.runs()).length === 0
    ? 0
    : (await Promise.all((await services.engine.runs()).map(({ runId }) => services.engine.events(runId))))
        .flat()
        .filter(({ kind, name }) => kind === "step" && name.startsWith("gates:full")).length;
const approvals = async () => (await services.open()).filter(({ kind }) => kind === "approval");

const landedAs = (name: string) => `Merge "${name}: change the letters"`;

/** The inbox sorts by the time of the question; this sorts by the order of the run. */
async function approveAll() {
  for (const name of Object.keys(await statuses())) await approve(name);
}

async function approve(name: string) {
  const question = (await approvals()).find(({ context }) => context["feature_id"] === name);
  if (question !== undefined) await services.approve(question);
}

describe("five features side by side", () => {
  test("[FEA-004] all are ready to merge at the same time, each in its own worktree, and then land one by one", async () => {
    services = await openWorkshop(apart(...FIVE));
    const runId = await services.start(...FIVE);
    expect((await services.drive(runId)).status).toBe("waiting");
    expect(await statuses()).toEqual(Object.fromEntries(FIVE.map((name) => [name, "ready_to_merge"])));
    for (const name of FIVE) {
      const there = FIVE.filter((other) => existsSync(join(services.root, `.worktrees/${name}/src/${other}.txt`)));
      expect(there).toEqual([name]);
    }
    expect(services.git("log", "--format=%s", "main").trim()).toBe("start");

    for (const name of FIVE.toReversed()) {
      const before = services.git("rev-parse", "main").trim();
      await approve(name);
      await services.drive(runId);
      expect(services.git("rev-parse", "main^1").trim()).toBe(before);
      expect(services.git("show", `main:src/${name}.txt`)).toBe(`${name}\n`);
    }
    expect(await services.open()).toEqual([]);
    expect((await services.engine.run(runId))?.status).toBe("completed");
  });

  test("five approvals at once need no second question, and each feature is gated again at most once", async () => {
    services = await openWorkshop(apart(...FIVE));
    const runId = await services.start(...FIVE);
    await services.drive(runId);
    const before = await gateRuns();
    await approveAll();
    const outcome = await services.drive(runId);
    expect(results(outcome)).toEqual(FIVE.map(() => "merged"));
    expect((await gateRuns()) - before).toBe(FIVE.length - 1);
    expect(services.git("log", "--first-parent", "--format=%s", "main").trim().split("\n").toReversed()).toEqual([
      "start",
      ...FIVE.map(landedAs),
    ]);
  });

  test("[FEA-135] with fewer slots the first ones start and the rest wait in their order; none is dropped", async () => {
    services = await openWorkshop(apart(...FIVE));
    const runId = await services.startWith(2, ...FIVE);
    await services.drive(runId);
    expect(await statuses()).toEqual({ ant: "ready_to_merge", bee: "ready_to_merge", cat: "waiting", dog: "waiting", eel: "waiting" });
    await approve("ant");
    await services.drive(runId);
    expect(await statuses()).toEqual({ ant: "merged", bee: "ready_to_merge", cat: "ready_to_merge", dog: "waiting", eel: "waiting" });
    let outcome = await services.drive(runId);
    for (let round = 0; round < 4 && outcome.status === "waiting"; round++) {
      await approveAll();
      outcome = await services.drive(runId);
    }
    expect(results(outcome)).toEqual(FIVE.map(() => "merged"));
  });
});

describe("features that want the same file", () => {
  test("the later one waits, visibly and without asking its planner again, and builds on the result of the earlier one", async () => {
    services = await openWorkshop(together("first", "second"));
    const runId = await services.start("first", "second");
    const outcome = await services.drive(runId);
    expect(outcome).toMatchObject({ status: "waiting", questions: [{ runId: `${runId}/feature:first` }] });
    const { features } = await services.kernel.features.dashboard();
    expect(features.map(({ feature_id, status, status_reason }) => [feature_id, status, status_reason])).toEqual([
      ["first", "ready_to_merge", "every required gate passed"],
      ["second", "planning", "waits for first: file src/a.txt"],
    ]);
    await approveAll();
    await services.drive(runId);
    expect(services.git("show", "main:src/a.txt")).toBe("first\n");
    expect(services.read(".worktrees/second/src/a.txt")).toBe("second\n");
    await approveAll();
    expect(results(await services.drive(runId))).toEqual(["merged", "merged"]);
    expect(services.git("show", "main:src/a.txt")).toBe("second\n");
    expect(services.asked.map(({ role, subject }) => `${role} ${subject}`).toSorted()).toEqual([
      "builder first",
      "builder second",
      "planner first",
      "planner second",
      "qa first",
      "qa second",
    ]);
    // A run that is resumed finds its steps by these names.
    const submitted = (await services.steps(runId, "second")).filter((name) => name.startsWith("plan:"));
    expect(submitted).toEqual(["plan:1", "plan:1-2"]);
  });

  test("the order of the plans does not depend on which planner is faster", async () => {
    const slow = (answer: unknown) => () => new Promise((resolve) => void setTimeout(() => resolve(answer), 300));
    const script = together("first", "second");
    services = await openWorkshop({ ...script, "planner/first": script["planner/first"]!.map(slow) });
    const runId = await services.start("first", "second");
    await services.drive(runId);
    expect(await statuses()).toEqual({ first: "ready_to_merge", second: "planning" });
  });

  test("a chain of three lands in the order of the run", async () => {
    services = await openWorkshop(together("a", "b", "c"));
    const runId = await services.start("a", "b", "c");
    for (let round = 0; round < 3; round++) {
      await services.drive(runId);
      await approveAll();
    }
    expect(results(await services.drive(runId))).toEqual(["merged", "merged", "merged"]);
    expect(services.git("log", "--first-parent", "--format=%s", "main").trim().split("\n").toReversed()).toEqual([
      "start",
      ...["a", "b", "c"].map(landedAs),
    ]);
  });

  test("when the earlier one is given up, the later one continues on the unchanged base", async () => {
    const script = together("first", "second");
    services = await openWorkshop({ ...script, "builder/second": [patchOf("src/a.txt", "one", "second")] });
    const runId = await services.start("first", "second");
    await services.drive(runId);
    await services.answer((await approvals())[0]!, { decision: "reject", comment: "not wanted" });
    await services.drive(runId);
    expect(await statuses()).toEqual({ first: "failed", second: "ready_to_merge" });
  });
});
