import { afterEach, describe, expect, test } from "vitest";
import type { FeatureResult } from "./protocol.ts";
import {
  newFile,
  NOTHING_MISSING,
  openWorkshop,
  patchOf,
  planFor,
  section,
  type Script,
  type Workshop,
  type WorkshopOptions,
} from "./testing/workshop.ts";

let shop: Workshop;
afterEach(() => shop.close());

const modifiesA = (name: string) => planFor(name, { files: { create: [], modify: ["src/a.txt"], delete: [] } });
const pair: Script = {
  "planner/first": [modifiesA("first")],
  "planner/second": [modifiesA("second")],
  "builder/first": [patchOf("src/a.txt", "one", "first")],
  "builder/second": [patchOf("src/a.txt", "first", "second")],
  qa: [NOTHING_MISSING],
};
const BLOCK: WorkshopOptions = { policy: { "supervisor: {": "collision_policy: block\nsupervisor: {" } };

const stand = async (id: string) => {
  const { status, status_reason } = await shop.kernel.features.standing(id);
  return { status, status_reason };
};
function results(outcome: { status: string; value?: unknown }): string[] {
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return (outcome.value as FeatureResult[]).map(({ status }) => status);
}
const approveAll = async () => {
  for (const question of (await shop.open()).filter(({ kind }) => kind === "approval")) await shop.approve(question);
};

describe("under collision_policy: block", () => {
  test("the kernel queues the later plan and accepts it when the earlier one has landed; it builds on that", async () => {
    shop = await openWorkshop(pair, BLOCK);
    const runId = await shop.start("first", "second");
    const outcome = await shop.drive(runId);
    expect(outcome).toMatchObject({ status: "waiting", questions: [{ runId: `${runId}/feature:first` }] });
    expect(await stand("second")).toMatchObject({ status: "blocked", status_reason: expect.stringContaining("first") });
    await approveAll();
    await shop.drive(runId);
    expect(shop.read(".worktrees/second/src/a.txt")).toBe("second\n");
    await approveAll();
    expect(results(await shop.drive(runId))).toEqual(["merged", "merged"]);
    expect(shop.packs("planner", "second")).toHaveLength(1);
  });

  test("a plan that needs a lock of a feature of the run is queued for it, too", async () => {
    const migration = (name: string) =>
      planFor(name, {
        files: { create: [`src/${name}.txt`], modify: [], delete: [] },
        contracts: { openapi: "none", events: "none", db: "migration" },
      });
    shop = await openWorkshop(
      {
        "planner/first": [migration("first")],
        "planner/second": [migration("second")],
        "builder/first": [newFile("src/first.txt", "x")],
        "builder/second": [newFile("src/second.txt", "x")],
        qa: [NOTHING_MISSING],
      },
      BLOCK,
    );
    const runId = await shop.start("first", "second");
    await shop.drive(runId);
    expect(await shop.locks()).toEqual([{ resource: "db_migrations", holder: "first" }]);
    await approveAll();
    await shop.drive(runId);
    expect(await shop.locks()).toEqual([{ resource: "db_migrations", holder: "second" }]);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
  });

  test("what is queued behind a feature of another run is asked", async () => {
    shop = await openWorkshop(pair, BLOCK);
    await shop.drive(await shop.start("first"));
    const runId = await shop.start("second");
    expect(await shop.drive(runId)).toMatchObject({ status: "waiting", questions: [{ runId: `${runId}/feature:second` }] });
    expect((await shop.open()).map(({ kind }) => kind).toSorted()).toEqual(["approval", "collision"]);
  });
});

describe("a collision with a feature of another run is a person's to decide", () => {
  async function collide(script: Script = pair) {
    shop = await openWorkshop(script);
    const other = await shop.start("first");
    await shop.drive(other);
    const runId = await shop.start("second");
    expect((await shop.drive(runId)).status).toBe("waiting");
    const question = (await shop.open()).find(({ kind }) => kind === "collision");
    expect(question).toMatchObject({
      title: "The plan of second collides with first",
      body: expect.stringContaining("file src/a.txt: first and second"),
      context: { conflicting_feature_ids: ["first"], resources: ["file src/a.txt"] },
    });
    return { other, runId, question: question! };
  }

  test("when it has landed, the same plan is submitted again", async () => {
    const { other, runId, question } = await collide();
    await approveAll();
    await shop.drive(other);
    await shop.answer(question, { decision: "retry" });
    await shop.drive(runId);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
    expect(shop.packs("planner", "second")).toHaveLength(1);
  });

  test("the planner may look for another way, with the person's comment", async () => {
    const elsewhere = planFor("second", { files: { create: ["src/second.txt"], modify: [], delete: [] } });
    const { runId, question } = await collide({
      ...pair,
      "planner/second": [modifiesA("second"), elsewhere],
      "builder/second": [newFile("src/second.txt", "x")],
    });
    await shop.answer(question, { decision: "revise", comment: "make a file of your own" });
    await shop.drive(runId);
    expect(section(shop.packs("planner", "second")[1], "last tool results")).toMatch(/collision_detected: .*make a file of your own/s);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
  });

  test("the feature may be given up", async () => {
    const { runId, question } = await collide();
    await shop.answer(question, { decision: "give_up", comment: "not worth it" });
    expect(results(await shop.drive(runId))).toEqual(["failed"]);
    expect(await stand("second")).toEqual({ status: "failed", status_reason: "not worth it" });
  });
});

describe("locks", () => {
  const migration = (name: string) =>
    planFor(name, {
      files: { create: [`src/${name}.txt`], modify: [], delete: [] },
      contracts: { openapi: "none", events: "none", db: "migration" },
    });
  const builds = (name: string) => [newFile(`src/${name}.txt`, name)];

  test("one that a feature of the run holds is waited for until that has landed", async () => {
    const events = planFor("second", {
      files: { create: ["src/second.txt"], modify: [], delete: [] },
      contracts: { openapi: "none", events: "modify", db: "none" },
    });
    shop = await openWorkshop({
      "planner/first": [planFor("first", { files: { create: ["src/first.txt"], modify: [], delete: [] } })],
      "builder/first": [{ type: "REQUEST", request: "lock", text: "events", resources: ["events"] }, newFile("src/first.txt", "x")],
      "planner/second": [() => until(() => shop.asked.some(({ role }) => role === "qa")).then(() => events)],
      "builder/second": builds("second"),
      qa: [NOTHING_MISSING],
    });
    const runId = await shop.start("first", "second");
    await shop.drive(runId);
    expect(await stand("second")).toEqual({ status: "planning", status_reason: "waits for first: lock events" });
    await approveAll();
    await shop.drive(runId);
    expect(await shop.locks()).toEqual([{ resource: "events", holder: "second" }]);
  });

  test("one that somebody else holds is waited for a while, then asked about", async () => {
    shop = await openWorkshop({ "planner/letters": [migration("letters")], builder: builds("letters"), qa: [NOTHING_MISSING] });
    await shop.takeLock("db_migrations", "stranger");
    const runId = await shop.start();
    await shop.drive(runId);
    const [question] = await shop.open();
    expect(question).toMatchObject({
      kind: "collision",
      context: { conflicting_feature_ids: ["stranger"], resources: ["lock db_migrations"] },
    });
    const retries = (await shop.engine.events(`${runId}/feature:letters`)).filter(({ kind }) => kind === "retry");
    expect(retries.length).toBeGreaterThan(0);
    await shop.expireLocks();
    await shop.answer(question!, { decision: "retry" });
    await shop.drive(runId);
    expect(await shop.locks()).toEqual([{ resource: "db_migrations", holder: "letters" }]);
    expect(await stand("letters")).toMatchObject({ status: "ready_to_merge" });
  });

  const withLock = (name: string) =>
    planFor(name, {
      files: { create: [], modify: ["src/a.txt"], delete: [] },
      contracts: { openapi: "none", events: "none", db: "migration" },
    });

  test("what was taken for a plan that collides is there for others while a person decides, and taken again", async () => {
    shop = await openWorkshop({ ...pair, "planner/second": [withLock("second")] });
    const other = await shop.start("first");
    await shop.drive(other);
    const runId = await shop.start("second");
    await shop.drive(runId);
    const question = (await shop.open()).find(({ kind }) => kind === "collision");
    expect(question).toMatchObject({ context: { resources: ["file src/a.txt"] } });
    expect(await shop.locks()).toEqual([]);
    await approveAll();
    await shop.drive(other);
    await shop.answer(question!, { decision: "retry" });
    await shop.drive(runId);
    expect(await shop.locks()).toEqual([{ resource: "db_migrations", holder: "second" }]);
  });

  test("the same while it is queued for another feature's file", async () => {
    shop = await openWorkshop({ ...pair, "planner/second": [withLock("second")] }, BLOCK);
    const runId = await shop.start("first", "second");
    await shop.drive(runId);
    expect(await stand("second")).toMatchObject({ status: "blocked" });
    expect(await shop.locks()).toEqual([]);
    await approveAll();
    await shop.drive(runId);
    expect(await shop.locks()).toEqual([{ resource: "db_migrations", holder: "second" }]);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
  });

  test("what was taken for a plan that is refused is there for others again", async () => {
    const refused = planFor("letters", {
      files: { create: [], modify: ["src/none.txt"], delete: [] },
      contracts: { openapi: "none", events: "none", db: "migration" },
    });
    shop = await openWorkshop({ planner: [refused], qa: [NOTHING_MISSING] });
    await shop.drive(await shop.start());
    expect((await shop.open())[0]).toMatchObject({ kind: "blocked", context: { phase: "planning" } });
    expect(await shop.locks()).toEqual([]);
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setTimeout(resolve, 5));
}
