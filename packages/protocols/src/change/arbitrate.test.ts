import { afterEach, describe, expect, test } from "vitest";
import type { FeatureResult } from "./feature-run.ts";
import {
  newFile,
  NOTHING_MISSING,
  openWorkshop,
  patchOf,
  planFor,
  toldIn,
  type Script,
  type Workshop,
  type WorkshopOptions,
} from "../features/testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

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

describe("under collision_policy: block", () => {
  test("the kernel queues the later plan, accepts it when the earlier feature has landed, and builds on it", async () => {
    services = await openWorkshop(pair, BLOCK);
    const runId = await services.start("first", "second");
    const outcome = await services.drive(runId);
    expect(outcome).toMatchObject({ status: "waiting", questions: [{ runId: `${runId}/feature:first` }] });
    expect(await stand("second")).toMatchObject({ status: "blocked", status_reason: expect.stringContaining("first") });
    await approveAll();
    await services.drive(runId);
    expect(services.read(".worktrees/second/src/a.txt")).toBe("second\n");
    await approveAll();
    expect(results(await services.drive(runId))).toEqual(["merged", "merged"]);
    expect(services.packs("planner", "second")).toHaveLength(1);
  });

  test("a plan that needs a lock of another feature of the run is queued for the lock", async () => {
    const migration = (name: string) =>
      planFor(name, {
        files: { create: [`src/${name}.txt`], modify: [], delete: [] },
        contracts: { openapi: "none", events: "none", db: "migration" },
      });
    services = await openWorkshop(
      {
        "planner/first": [migration("first")],
        "planner/second": [migration("second")],
        "builder/first": [newFile("src/first.txt", "x")],
        "builder/second": [newFile("src/second.txt", "x")],
        qa: [NOTHING_MISSING],
      },
      BLOCK,
    );
    const runId = await services.start("first", "second");
    await services.drive(runId);
    expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "first" }]);
    await approveAll();
    await services.drive(runId);
    expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "second" }]);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
  });

  test("a plan queued behind a feature of another run becomes a question", async () => {
    services = await openWorkshop(pair, BLOCK);
    await services.drive(await services.start("first"));
    const runId = await services.start("second");
    expect(await services.drive(runId)).toMatchObject({ status: "waiting", questions: [{ runId: `${runId}/feature:second` }] });
    expect((await services.open()).map(({ kind }) => kind).toSorted()).toEqual(["approval", "collision"]);
  });
});

describe("a collision with a feature of another run becomes a question", () => {
  async function collide(script: Script = pair) {
    services = await openWorkshop(script);
    const other = await services.start("first");
    await services.drive(other);
    const runId = await services.start("second");
    expect((await services.drive(runId)).status).toBe("waiting");
    const question = (await services.open()).find(({ kind }) => kind === "collision");
    expect(question).toMatchObject({
      title: "The plan of second collides with first",
      body: expect.stringContaining("file src/a.txt: first and second"),
      context: { conflicting_feature_ids: ["first"], resources: ["file src/a.txt"] },
    });
    return { other, runId, question: question! };
  }

  test("retry submits the same plan again after the other feature has landed", async () => {
    const { other, runId, question } = await collide();
    await approveAll();
    await services.drive(other);
    await services.answer(question, { decision: "retry" });
    await services.drive(runId);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
    expect(services.packs("planner", "second")).toHaveLength(1);
  });

  test("revise asks the planner for another plan, with the person's comment", async () => {
    const elsewhere = planFor("second", { files: { create: ["src/second.txt"], modify: [], delete: [] } });
    const { runId, question } = await collide({
      ...pair,
      "planner/second": [modifiesA("second"), elsewhere],
      "builder/second": [newFile("src/second.txt", "x")],
    });
    await services.answer(question, { decision: "revise", comment: "make a file of your own" });
    await services.drive(runId);
    expect(toldIn(services.packs("planner", "second")[1])).toMatch(/collision_detected: .*make a file of your own/s);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
  });

  test("give_up ends the feature", async () => {
    const { runId, question } = await collide();
    await services.answer(question, { decision: "give_up", comment: "not worth it" });
    expect(results(await services.drive(runId))).toEqual(["failed"]);
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

  test("a plan waits for a lock of the same run until its holder has landed", async () => {
    const events = planFor("second", {
      files: { create: ["src/second.txt"], modify: [], delete: [] },
      contracts: { openapi: "none", events: "modify", db: "none" },
    });
    services = await openWorkshop({
      "planner/first": [planFor("first", { files: { create: ["src/first.txt"], modify: [], delete: [] } })],
      "builder/first": [{ type: "REQUEST", request: "lock", text: "events", resources: ["events"] }, newFile("src/first.txt", "x")],
      "planner/second": [() => until(() => services.asked.some(({ role }) => role === "qa")).then(() => events)],
      "builder/second": builds("second"),
      qa: [NOTHING_MISSING],
    });
    const runId = await services.start("first", "second");
    await services.drive(runId);
    expect(await stand("second")).toEqual({ status: "planning", status_reason: "waits for first: lock events" });
    await approveAll();
    await services.drive(runId);
    expect(await services.locks()).toEqual([{ resource: "events", holder: "second" }]);
  });

  test("a lock of another run is waited for a bounded time, then a person is asked", async () => {
    services = await openWorkshop({ "planner/letters": [migration("letters")], builder: builds("letters"), qa: [NOTHING_MISSING] });
    await services.takeLock("db_migrations", "stranger");
    const runId = await services.start();
    await services.drive(runId);
    const [question] = await services.open();
    expect(question).toMatchObject({
      kind: "collision",
      context: { conflicting_feature_ids: ["stranger"], resources: ["lock db_migrations"] },
    });
    const retries = (await services.engine.events(`${runId}/feature:letters`)).filter(({ kind }) => kind === "retry");
    expect(retries.length).toBeGreaterThan(0);
    await services.expireLocks();
    await services.answer(question!, { decision: "retry" });
    await services.drive(runId);
    expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "letters" }]);
    expect(await stand("letters")).toMatchObject({ status: "ready_to_merge" });
  });

  const withLock = (name: string) =>
    planFor(name, {
      files: { create: [], modify: ["src/a.txt"], delete: [] },
      contracts: { openapi: "none", events: "none", db: "migration" },
    });

  test("a colliding plan releases its locks while a person decides, then acquires them again", async () => {
    services = await openWorkshop({ ...pair, "planner/second": [withLock("second")] });
    const other = await services.start("first");
    await services.drive(other);
    const runId = await services.start("second");
    await services.drive(runId);
    const question = (await services.open()).find(({ kind }) => kind === "collision");
    expect(question).toMatchObject({ context: { resources: ["file src/a.txt"] } });
    expect(await services.locks()).toEqual([]);
    await approveAll();
    await services.drive(other);
    await services.answer(question!, { decision: "retry" });
    await services.drive(runId);
    expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "second" }]);
  });

  test("a plan that is queued for a file releases its locks", async () => {
    services = await openWorkshop({ ...pair, "planner/second": [withLock("second")] }, BLOCK);
    const runId = await services.start("first", "second");
    await services.drive(runId);
    expect(await stand("second")).toMatchObject({ status: "blocked" });
    expect(await services.locks()).toEqual([]);
    await approveAll();
    await services.drive(runId);
    expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "second" }]);
    expect(await stand("second")).toMatchObject({ status: "ready_to_merge" });
  });

  test("a refused plan releases its locks", async () => {
    const refused = planFor("letters", {
      files: { create: [], modify: ["src/none.txt"], delete: [] },
      contracts: { openapi: "none", events: "none", db: "migration" },
    });
    services = await openWorkshop({ planner: [refused], qa: [NOTHING_MISSING] });
    await services.drive(await services.start());
    expect((await services.open())[0]).toMatchObject({ kind: "blocked", context: { phase: "planning" } });
    expect(await services.locks()).toEqual([]);
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setTimeout(resolve, 5));
}
