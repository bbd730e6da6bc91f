import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { workflow } from "./ctx.ts";
import { openPlace, type Place, type Process } from "./testing/process.ts";
import { virtualTime, type VirtualTime } from "./testing/virtual-time.ts";

let place: Place;
let time: VirtualTime;
let process: Process;
const big = "y".repeat(100_000);
const member = workflow<string, string, undefined>("member", "1", (ctx, input) => ctx.step("s", () => Promise.resolve(input)));
const flow = workflow<string, unknown, undefined>("flow", "1", async (ctx, input) => {
  if (input === "fail") throw new Error("no");
  if (input === "ask") return ctx.ask("q", { kind: "k", title: "t", schema: z.string() });
  return ctx.child("member", member, input);
});

beforeEach(async () => {
  place = openPlace();
  time = virtualTime();
  process = await place.open({ workflows: [flow], kernel: undefined, clock: time.clock, sleep: time.sleep });
});
afterEach(() => place.dispose());

async function run(input: string): Promise<string> {
  const runId = await process.engine.start("flow", input);
  await process.engine.drive(runId);
  await time.advance(1000);
  return runId;
}

test("old finished runs and their children lose their events and keep count, head and outcome", async () => {
  const [first, failed, waiting, kept] = [await run(big), await run("fail"), await run("ask"), await run("last")];
  await process.engine.signal(waiting, "q", "later");
  const heads = [await process.engine.head(first), await process.engine.head(`${first}/member`)];
  const before = await process.engine.drive(failed);
  expect(await process.engine.prune({ finishedBefore: time.clock.now(), keep: 1 })).toEqual({ runs: 3, events: 3 + 3 + 2 });

  expect((await process.engine.events(first)).map((event) => [event.seq, event.kind])).toEqual([[4, "pruned"]]);
  expect(await process.engine.verify(first, heads[0])).toMatchObject({ ok: true, events: 4, pruned: 3 });
  expect(await process.engine.verify(`${first}/member`, heads[1])).toMatchObject({ ok: true, events: 4, pruned: 3 });
  expect(JSON.parse((await process.engine.events(failed))[0]!.payload)).toMatchObject({ events: 2, head: { seq: 2 }, status: "failed" });
  expect(await process.engine.drive(first)).toEqual({ status: "completed", value: big });
  expect(await process.engine.drive(failed)).toEqual(before);
  expect(await process.engine.run(first)).toMatchObject({ status: "completed", prunedAt: time.clock.now() });

  expect((await process.engine.events(kept)).length).toBe(3);
  expect(await process.engine.drive(waiting)).toEqual({ status: "completed", value: "later" });
  expect(await process.engine.prune({ finishedBefore: time.clock.now(), keep: 1 })).toEqual({ runs: 2, events: 6 });
});

test("recent runs and the latest ones stay, and pruning again changes nothing", async () => {
  const old = await run("a");
  const border = time.clock.now();
  const young = await run("b");
  expect(await process.engine.prune({ finishedBefore: border, keep: 2 })).toEqual({ runs: 0, events: 0 });
  expect(await process.engine.prune({ finishedBefore: border, keep: 0 })).toEqual({ runs: 2, events: 6 });
  const head = await process.engine.head(old);
  expect(await process.engine.prune({ finishedBefore: border, keep: 0 })).toEqual({ runs: 0, events: 0 });
  expect(await process.engine.head(old)).toEqual(head);
  expect((await process.engine.events(young)).length).toBe(3);
});

test("a finished run whose outcome was lost can still be pruned", async () => {
  const runId = await run("a");
  await place.tamper("DELETE FROM events WHERE key = '@outcome'");
  expect(await process.engine.prune({ finishedBefore: time.clock.now(), keep: 0 })).toMatchObject({ runs: 2 });
  expect((await process.engine.events(runId)).map((event) => event.kind)).toEqual(["pruned"]);
});

test("runs can be filtered", async () => {
  const [first, asking] = [await run("a"), await run("ask")];
  expect((await process.engine.runs()).map((entry) => entry.runId)).toEqual([asking, first, `${first}/member`]);
  expect((await process.engine.runs({ rootsOnly: true, limit: 1 })).map((entry) => entry.runId)).toEqual([asking]);
  expect((await process.engine.runs({ status: ["completed", "failed"], workflow: "flow" })).map((entry) => entry.runId)).toEqual([first]);
  expect((await process.engine.runs({ rootRunId: first })).map((entry) => entry.parentRunId)).toEqual([null, first]);
});
