import { afterEach, describe, expect, test } from "vitest";
import type { FeatureResult } from "../change/feature-run.ts";
import { newFile, NOTHING_MISSING, openWorkshop, patchOf, planFor, toldIn, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

const stand = async (id: string) => {
  const { status, status_reason } = await services.kernel.features.standing(id);
  return { status, status_reason };
};
function results(outcome: { status: string; value?: unknown }): string[] {
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return (outcome.value as FeatureResult[]).map(({ status }) => status);
}
const approveAll = async () => {
  for (const question of (await services.open()).filter(({ kind }) => kind === "approval")) await services.approve(question);
};

describe("an amendment that collides", () => {
  const wants = { type: "REQUEST", request: "plan_amendment", text: "src/b.txt, too" };
  const amended = (name: string, own: string) =>
    planFor(name, { plan_version: 2, revision_of: 1, files: { create: [own], modify: ["src/b.txt"], delete: [] } });
  const owns = (name: string) => planFor(name, { files: { create: [`src/${name}.txt`], modify: [], delete: [] } });
  const modifiesB = (name: string) => planFor(name, { files: { create: [], modify: ["src/b.txt"], delete: [] } });

  test("with an earlier feature waits until that has landed, and keeps the work so far", async () => {
    services = await openWorkshop({
      "planner/first": [modifiesB("first")],
      "builder/first": [patchOf("src/b.txt", "one", "first")],
      "planner/second": [owns("second"), amended("second", "src/second.txt")],
      "builder/second": [wants, patchOf("src/b.txt", "first", "both")],
      qa: [NOTHING_MISSING],
    });
    const runId = await services.start("first", "second");
    await services.drive(runId);
    expect(await stand("second")).toEqual({ status: "building", status_reason: "waits for first: file src/b.txt" });
    await approveAll();
    await services.drive(runId);
    expect(toldIn(services.packs("builder", "second")[1])).toBe("The plan was amended: version 2 is now the accepted plan.");
    await approveAll();
    expect(results(await services.drive(runId))).toEqual(["merged", "merged"]);
    expect(services.git("show", "main:src/b.txt")).toBe("both\n");
  });

  test("with a later feature is refused, so that no two features wait for each other", async () => {
    const late = () => until(() => services.asked.some(({ role, subject }) => role === "builder" && subject === "second"));
    services = await openWorkshop({
      "planner/first": [owns("first"), amended("first", "src/first.txt")],
      "builder/first": [() => late().then(() => wants), newFile("src/first.txt", "x")],
      "planner/second": [modifiesB("second")],
      "builder/second": [patchOf("src/b.txt", "one", "second")],
      qa: [NOTHING_MISSING],
    });
    await services.drive(await services.start("first", "second"));
    expect(toldIn(services.packs("builder", "first")[1])).toMatch(/^The plan was not changed\. collision_detected: .*src\/b\.txt/s);
    expect((await services.open()).map(({ kind }) => kind)).toEqual(["approval", "approval"]);
  });

  test("with a feature of another run becomes a question, does not end this feature, and releases the lock it wanted", async () => {
    const EVENTS = { openapi: "none", events: "modify", db: "none" };
    const withEvents = amended("second", "src/second.txt");
    services = await openWorkshop({
      "planner/first": [modifiesB("first")],
      "builder/first": [patchOf("src/b.txt", "one", "first")],
      "planner/second": [owns("second"), { ...withEvents, plan: { ...withEvents.plan, contracts: EVENTS } }],
      "builder/second": [wants, newFile("src/second.txt", "x")],
      qa: [NOTHING_MISSING],
    });
    await services.drive(await services.start("first"));
    const runId = await services.start("second");
    await services.drive(runId);
    expect(await services.locks()).toEqual([]);
    for (let tries = 0; tries < 2; tries++) {
      const question = (await services.open()).find(({ kind }) => kind === "collision");
      expect(question?.options.map(({ value }) => value)).toEqual(["retry", "revise"]);
      await services.answer(question!, { decision: "revise" });
      await services.drive(runId);
    }
    expect(toldIn(services.packs("builder", "second")[1])).toMatch(/^The plan was not changed\. collision_detected/);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setTimeout(resolve, 5));
}
