import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { JournalEvent } from "./chain.ts";
import { workflow, type Ctx, type Question, type Workflow } from "./ctx.ts";
import { SlipwayError } from "./errors.ts";
import { readEvents, verifyStream } from "./journal.ts";
import { openPlace, type Place, type Process } from "./testing/process.ts";

let place: Place;
beforeEach(() => void (place = openPlace()));
afterEach(() => place.dispose());

const question: Question<string> = { kind: "approval", title: "?", schema: z.string() };
const flow = (run: (ctx: Ctx) => Promise<unknown>): Workflow<never, unknown, undefined>[] => [workflow("flow", "1", run)];
const open = (run: (ctx: Ctx) => Promise<unknown>, observe: (event: JournalEvent) => void = () => undefined): Promise<Process> =>
  place.open({ workflows: flow(run), kernel: undefined, observe });
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 5 });
const openQuestions = () => [...place.inbox.questions.values()].filter((asked) => asked.closed === null);

describe("after a crash between the end of a child and its parent's record of it", () => {
  const cases: [string, (ctx: Ctx) => Promise<unknown>, unknown][] = [
    ["completed", () => Promise.resolve({ big: "x".repeat(100_000) }), { big: "x".repeat(100_000) }],
    ["failed", () => Promise.reject(new SlipwayError("step_failed", "red")), "step_failed"],
    ["cancelled", (ctx) => ctx.ask("q", question), "run_cancelled"],
  ];
  test.each(cases)("the parent records the outcome later: %s", async (status, member, expected) => {
    let ran = 0;
    const run = (ctx: Ctx) =>
      ctx
        .child(
          "child",
          workflow("member", "1", (inner) => (ran++, member(inner))),
          null,
        )
        .catch((error: SlipwayError) => error.code);
    const { promise: crashed, resolve } = Promise.withResolvers<void>();
    const first: Process = await open(run, (event) => {
      if (event.stream !== "run/child" || event.kind !== status) return;
      first.crash();
      resolve();
    });
    await first.engine.start("flow", null, { runId: "run" });
    void first.engine.drive("run", { whenWaiting: "wait" });
    if (status === "cancelled") {
      await eventually(() => expect(openQuestions()).toHaveLength(1));
      await (await open(run)).engine.requestCancel("run/child", "not wanted");
    }
    await crashed;
    const second = await open(run);
    expect(await second.engine.drive("run")).toEqual({ status: "completed", value: expected });
    expect(ran).toBe(1);
    const note = (await second.engine.events("run")).find((event) => event.key === "child");
    expect(note?.kind).toBe(status === "completed" ? "child" : "child_failed");
  });
});

test("an order to cancel a child takes effect when the child is resumed", async () => {
  const run = (ctx: Ctx) =>
    ctx
      .child(
        "child",
        workflow("member", "1", (inner) => inner.ask("q", question)),
        null,
      )
      .catch((error: SlipwayError) => error.message);
  const process = await open(run);
  await process.engine.start("flow", null, { runId: "run" });
  await process.engine.drive("run");
  await place.tamper("UPDATE runs SET request = 'cancel', request_reason = 'unheard', request_by = 'ada' WHERE run_id = 'run/child'");
  expect(await process.engine.drive("run")).toEqual({ status: "completed", value: "Run run/child was cancelled: unheard" });
  expect(openQuestions()).toEqual([]);
});

test("a child of a run whose process has died can be cancelled", async () => {
  const run = (ctx: Ctx) =>
    ctx
      .child(
        "child",
        workflow("member", "1", (inner) => inner.ask("q", question)),
        null,
      )
      .catch((error: SlipwayError) => error.code);
  const first: Process = await open(run, (event) => {
    if (event.kind === "asked") first.crash();
  });
  await first.engine.start("flow", null, { runId: "run" });
  void first.engine.drive("run");
  await eventually(() => expect(openQuestions()).toHaveLength(1));
  const second = await open(run);
  await eventually(async () => expect(await second.engine.head("run/child")).toMatchObject({ seq: 2 }));
  await second.engine.requestCancel("run/child", "not wanted");
  expect(await second.engine.run("run")).toMatchObject({ status: "stopped", holder: null });
  expect(await second.engine.drive("run")).toEqual({ status: "completed", value: "run_cancelled" });
});

test("stopping a child stops the run it belongs to", async () => {
  const process = await open((ctx) =>
    ctx.child(
      "child",
      workflow("member", "1", (inner) => inner.ask("q", question)),
      null,
    ),
  );
  await process.engine.start("flow", null, { runId: "run" });
  const driven = process.engine.drive("run", { whenWaiting: "wait" });
  await eventually(() => expect(openQuestions()).toHaveLength(1));
  await process.engine.requestStop("run/child", "enough");
  expect(await driven).toEqual({ status: "stopped", reason: "enough" });
  expect((await process.engine.runs()).map((run) => run.status)).toEqual(["stopped", "stopped"]);
});

test("questions and children that were not awaited end with their run", async () => {
  const leaf = workflow<null, unknown, undefined>("leaf", "1", (ctx) => ctx.ask("q", question));
  const hasty = (ctx: Ctx): Promise<unknown> =>
    Promise.race([
      ctx.child("left", leaf, null),
      ctx.ask("mine", question),
      ctx.sleep("soon", 30).then(() => ctx.step("first", () => Promise.resolve("first"))),
    ]);
  const process = await open(async (ctx) => [await ctx.child("hasty", workflow("hasty", "1", hasty), null), await hasty(ctx)]);
  await process.engine.start("flow", null, { runId: "run" });
  expect(await process.engine.drive("run")).toEqual({ status: "completed", value: ["first", "first"] });
  expect(openQuestions()).toEqual([]);
  expect(Object.fromEntries((await process.engine.runs()).map((run) => [run.runId, run.status]))).toEqual({
    run: "completed",
    "run/left": "cancelled",
    "run/hasty": "completed",
    "run/hasty/left": "cancelled",
  });
  for (const run of await process.engine.runs()) expect(await process.engine.verify(run.runId)).toMatchObject({ ok: true });
});

test("a body that a child did not wait for writes nothing after its end", async () => {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<number>();
  const hasty = workflow<null, string, undefined>("hasty", "1", async (ctx) => {
    void ctx.step("left", () => gate);
    return ctx.step("right", () => Promise.resolve("right"));
  });
  const process = await open(async (ctx) => {
    await ctx.child("hasty", hasty, null);
    openGate(1);
    await ctx.sleep("a while", 10);
    return "done";
  });
  await process.engine.start("flow", null, { runId: "run" });
  expect(await process.engine.drive("run")).toEqual({ status: "completed", value: "done" });
  expect((await process.engine.events("run/hasty")).map((event) => event.kind)).toEqual(["started", "step", "completed"]);
});

describe("a lease that is lost", () => {
  const steal = () => {
    const intruder = new DatabaseSync(place.path);
    intruder.exec("UPDATE runs SET epoch = epoch + 1 WHERE parent_run_id IS NULL");
    intruder.close();
  };

  test("while a child is resumed", async () => {
    let stealing = false;
    const process = await open((ctx) => {
      if (stealing) steal();
      return ctx.child(
        "child",
        workflow("member", "1", (inner) => inner.ask("q", question)),
        null,
      );
    });
    await process.engine.start("flow", null, { runId: "run" });
    await process.engine.drive("run");
    stealing = true;
    await expect(process.engine.drive("run")).rejects.toMatchObject({ code: "lease_lost" });
    expect(await process.engine.run("run/child")).toMatchObject({ status: "waiting" });
  });

  test("while a child is begun", async () => {
    const process = await open((ctx) => {
      steal();
      return ctx.child(
        "child",
        workflow("member", "1", () => Promise.resolve(1)),
        null,
      );
    });
    await process.engine.start("flow", null, { runId: "run" });
    await expect(process.engine.drive("run")).rejects.toMatchObject({ code: "lease_lost" });
    expect(await process.engine.run("run/child")).toBeUndefined();
  });

  test("just before the run is suspended", async () => {
    const process = await open(
      (ctx) => ctx.ask("q", question),
      (event) => (event.kind === "asked" ? steal() : undefined),
    );
    await process.engine.start("flow", null, { runId: "run" });
    await expect(process.engine.drive("run")).rejects.toMatchObject({ code: "lease_lost" });
  });
});

test("an order is carried out if the holder releases the lease before reading it", async () => {
  const [owner, other] = [await open((ctx) => ctx.ask("q", question)), await open((ctx) => ctx.ask("q", question))];
  await owner.engine.start("flow", null, { runId: "run" });
  const driven = owner.engine.drive("run", { whenWaiting: "wait" });
  await eventually(() => expect(openQuestions()).toHaveLength(1));
  const exclusive = other.sqlite.exclusive.bind(other.sqlite);
  Object.assign(other.sqlite, {
    exclusive: async (work: Parameters<typeof exclusive>[0]) => {
      // The moment between finding the lease held and writing the order.
      if (String(work).includes("order.reason")) await owner.engine.close();
      return exclusive(work);
    },
  });
  await other.engine.requestCancel("run", "not wanted");
  expect(await driven).toMatchObject({ status: "stopped" });
  expect(await other.engine.run("run")).toMatchObject({ status: "cancelled" });
});

test("an engine that is closed while it acquires a lease releases it", async () => {
  const process = await open(() => new Promise(() => undefined));
  await process.engine.start("flow", null, { runId: "run" });
  const write = process.sqlite.write.bind(process.sqlite);
  let closing: Promise<void> | undefined;
  Object.assign(process.sqlite, {
    write: (work: Parameters<typeof write>[0]) => {
      closing ??= process.engine.close();
      return write(work);
    },
  });
  expect(await process.engine.drive("run")).toMatchObject({ status: "stopped" });
  await closing;
  expect(await process.engine.run("run")).toMatchObject({ status: "stopped", holder: null });
});

test("events appended while a stream is verified are ignored", async () => {
  const process = await open(async (ctx) => {
    await ctx.step("one", () => Promise.resolve(1));
    return ctx.ask("q", question);
  });
  await process.engine.start("flow", null, { runId: "run" });
  await process.engine.drive("run");
  const { reading } = process.sqlite;
  let calls = 0;
  const slow = {
    ...process.sqlite,
    reading: async (work: Parameters<typeof reading>[0]) => {
      if (++calls === 2) {
        await process.engine.signal("run", "q", "yes");
        await process.engine.drive("run");
      }
      return reading(work);
    },
  };
  expect(await verifyStream(slow as Process["sqlite"], "run")).toMatchObject({ ok: true, events: 3 });
  expect(await readEvents(process.sqlite, "run", 1, 100)).toHaveLength(5);
});
