import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { workflow, type Ctx, type Workflow } from "./ctx.ts";
import { openPlace, type Place } from "./testing/process.ts";
import type { Sleep } from "./timer.ts";
import { virtualTime, type VirtualTime } from "./testing/virtual-time.ts";

let place: Place;
let time: VirtualTime;
beforeEach(() => {
  place = openPlace();
  time = virtualTime();
});
afterEach(() => place.dispose());

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
/** A suspended process: its timers do not fire. */
const suspended: Sleep = (_ms, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
const flow = (run: (ctx: Ctx) => Promise<unknown>): Workflow<never, unknown, undefined> => workflow("flow", "1", run);
const open = (run: (ctx: Ctx) => Promise<unknown>, more = {}) =>
  place.open({ workflows: [flow(run)], kernel: undefined, clock: time.clock, sleep: time.sleep, pollMs: 100, leaseMs: 3000, ...more });
const kinds = async (process: Awaited<ReturnType<typeof open>>, runId: string) =>
  (await process.engine.events(runId)).map((event) => event.kind);

test("a renewed lease is not taken over, however long the step", async () => {
  const owner = await open((ctx) => ctx.step("long", () => never()));
  const rival = await open(() => Promise.resolve("rival"));
  const runId = await owner.engine.start("flow", null);
  void owner.engine.drive(runId);
  await time.advance(60_000);
  await expect(rival.engine.drive(runId)).rejects.toMatchObject({
    code: "run_lease_held",
    details: { host: "test", pid: owner.host.pid, expires_at: expect.any(Number) as unknown },
  });
  expect((await rival.engine.run(runId))?.holder).toMatchObject({ pid: owner.host.pid });
});

test("an expired lease is taken over, and the former owner gets lease_lost and writes nothing", async () => {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<string>();
  const stuck = await open((ctx) => ctx.step("slow", () => gate), { sleep: suspended });
  const runId = await stuck.engine.start("flow", null);
  const driven = stuck.engine.drive(runId);
  const outcome = expect(driven).rejects.toMatchObject({ code: "lease_lost" });
  await time.advance(3001);
  const rival = await open((ctx) => ctx.step("slow", () => Promise.resolve("rival's")));
  expect(await rival.engine.drive(runId)).toEqual({ status: "completed", value: "rival's" });
  const before = await rival.engine.events(runId);
  openGate("too late");
  await outcome;
  expect(await rival.engine.events(runId)).toEqual(before);
  expect(before.map((event) => event.kind)).toEqual(["started", "taken_over", "step", "completed"]);
});

test("an owner that lost its lease notices at the next renewal", async () => {
  const owner = await open((ctx) => ctx.step("deaf", () => never()));
  const runId = await owner.engine.start("flow", null);
  let outcome: unknown = "still driving";
  owner.engine.drive(runId).catch((error: unknown) => (outcome = error));
  await time.settle();
  await place.tamper("UPDATE runs SET epoch = epoch + 1");
  await time.advance(2000);
  expect(outcome).toMatchObject({ code: "lease_lost" });
});

test("an abandoned body of a stopped run cannot write", async () => {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<string>();
  const process = await open((ctx) => ctx.step("deaf", () => gate));
  const runId = await process.engine.start("flow", null);
  const driven = process.engine.drive(runId);
  await time.settle();
  await process.engine.requestStop(runId, "enough");
  await time.advance(1000);
  expect(await driven).toEqual({ status: "stopped", reason: "enough" });
  openGate("too late");
  await time.settle();
  expect(await kinds(process, runId)).toEqual(["started", "stopped"]);
});

test("no step begins after a stop that arrives while the run yields", async () => {
  const ran: string[] = [];
  const process = await open(async (ctx) => {
    await ctx.step("one", async () => {
      await time.sleep(1000, new AbortController().signal);
      ran.push("one");
    });
    // A second has passed on the clock, so the next step yields to the event loop first.
    const two = ctx.step("two", () => Promise.resolve(ran.push("two")));
    void process.engine.close();
    await two;
  });
  const runId = await process.engine.start("flow", null);
  const driven = process.engine.drive(runId);
  await time.advance(1000);
  expect(await driven).toMatchObject({ status: "stopped" });
  expect(ran).toEqual(["one"]);
});

test("a run that is stopped while it cancels a child finishes both in the next execution", async () => {
  const { promise: deaf } = Promise.withResolvers<string>();
  let patient = true;
  const member = workflow<null, unknown, undefined>("member", "1", (ctx) =>
    ctx.step("deaf", () => (patient ? deaf : Promise.resolve("done"))),
  );
  const process = await open((ctx) => ctx.child("child", member, null).catch(() => "cancelled"));
  const runId = await process.engine.start("flow", null);
  const driven = process.engine.drive(runId);
  await time.settle();
  await process.engine.requestCancel(`${runId}/child`, "enough");
  await time.settle();
  await process.engine.requestStop(runId, "at once");
  await time.advance(1000);
  expect(await driven).toEqual({ status: "stopped", reason: "at once" });
  patient = false;
  expect(await process.engine.drive(runId)).toEqual({ status: "completed", value: "cancelled" });
});

test("an abandoned body of a cancelled child cannot write after its end", async () => {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<string>();
  const leaf = workflow<null, unknown, undefined>("leaf", "1", (ctx) => ctx.step("deaf", () => gate));
  const branch = workflow<null, unknown, undefined>("branch", "1", (ctx) => ctx.child("leaf", leaf, null));
  const process = await open(async (ctx) => {
    await ctx.child("branch", branch, null).catch(() => undefined);
    return ctx.step("later", () => gate);
  });
  const runId = await process.engine.start("flow", null);
  const driven = process.engine.drive(runId);
  await time.settle();
  await process.engine.requestCancel(`${runId}/branch`, "enough");
  await time.advance(1000);
  openGate("done");
  expect(await driven).toEqual({ status: "completed", value: "done" });
  expect(await kinds(process, `${runId}/branch/leaf`)).toEqual(["started", "cancelled"]);
  expect(await process.engine.verify(`${runId}/branch/leaf`)).toMatchObject({ ok: true });
});

test("a run over the crash limit continues only after resetCrashes", async () => {
  let bad = true;
  const run = (crash: () => void) => (ctx: Ctx) =>
    ctx.step("bad", () => {
      if (bad) crash();
      return bad ? never<string>() : Promise.resolve("done");
    });
  const attempt = async () => {
    const process: Awaited<ReturnType<typeof open>> = await open(
      run(() => process.crash()),
      { maxCrashes: 2 },
    );
    return process;
  };
  const first = await attempt();
  const runId = await first.engine.start("flow", null);
  void first.engine.drive(runId);
  await time.settle();
  for (let crash = 1; crash <= 2; crash++) {
    void (await attempt()).engine.drive(runId);
    await time.settle();
  }
  const last = await attempt();
  await expect(last.engine.drive(runId)).rejects.toMatchObject({
    code: "run_crashed_too_often",
    details: { crashes: 2, requires_human: true },
  });
  bad = false;
  await expect(last.engine.drive(runId)).rejects.toMatchObject({ code: "run_crashed_too_often" });
  await last.engine.resetCrashes(runId, "ada");
  expect(await last.engine.run(runId)).toMatchObject({ status: "stopped", crashes: 0 });
  expect(await last.engine.drive(runId)).toEqual({ status: "completed", value: "done" });
  expect(await kinds(last, runId)).toEqual(["started", "taken_over", "taken_over", "crashes_reset", "step", "completed"]);
  await last.engine.resetCrashes(runId, "too late");
});

test("progress resets the crash count", async () => {
  const run = (crash: (number: number) => void) => async (ctx: Ctx) => {
    for (let number = 1; number <= 8; number++) {
      await ctx.step(`step:${number}`, () => Promise.resolve(number));
      await ctx.child(
        `child:${number}`,
        workflow("child", "1", (inner) => inner.step("s", () => Promise.resolve(1))),
        null,
      );
      crash(number);
    }
    return "done";
  };
  let runId = "";
  for (let crash = 1; crash <= 8; crash++) {
    const process: Awaited<ReturnType<typeof open>> = await open(
      run((number) => (number === crash ? process.crash() : undefined)),
      { maxCrashes: 1 },
    );
    runId ||= await process.engine.start("flow", null);
    void process.engine.drive(runId);
    await time.settle();
  }
  const last = await open(
    run(() => undefined),
    { maxCrashes: 1 },
  );
  expect(await last.engine.drive(runId)).toMatchObject({ status: "completed" });
});

test("stop and cancel reach a run whose process has died", async () => {
  const question = { kind: "approval", title: "?", schema: z.string() };
  const run = (crash: () => void) => async (ctx: Ctx) => {
    await ctx.step("one", () => Promise.resolve(1));
    crash();
    return ctx.ask("q", question);
  };
  const start = async () => {
    const process: Awaited<ReturnType<typeof open>> = await open(run(() => process.crash()));
    const runId = await process.engine.start("flow", null);
    void process.engine.drive(runId);
    await time.settle();
    return runId;
  };
  const [stopped, cancelled] = [await start(), await start()];
  const other = await open(run(() => undefined));
  await other.engine.requestStop(stopped, "tidy");
  await other.engine.requestCancel(cancelled, "tidy");
  expect(await other.engine.run(stopped)).toMatchObject({ status: "stopped", holder: null });
  expect(await other.engine.run(cancelled)).toMatchObject({ status: "cancelled", holder: null });
  expect(await other.engine.drive(stopped)).toMatchObject({ status: "waiting" });
});

test("an unread stop does not stop the next execution, an unread cancel does", async () => {
  const { promise: hold } = Promise.withResolvers<never>();
  const start = async () => {
    const process: Awaited<ReturnType<typeof open>> = await open((ctx) => ctx.step("hang", () => hold), { sleep: suspended });
    const runId = await process.engine.start("flow", null);
    void process.engine.drive(runId);
    await time.settle();
    return { process, runId };
  };
  const other = await open((ctx) => ctx.step("hang", () => Promise.resolve("done")));
  const [one, two] = [await start(), await start()];
  await other.engine.requestStop(one.runId, "unheard");
  await other.engine.requestCancel(two.runId, "unheard");
  expect(await other.engine.run(two.runId)).toMatchObject({ status: "running", request: "cancel" });
  one.process.crash();
  two.process.crash();
  expect(await other.engine.drive(one.runId)).toEqual({ status: "completed", value: "done" });
  expect(await other.engine.drive(two.runId)).toEqual({ status: "cancelled", reason: "unheard" });
});

test("an order that arrives while the run is suspended is carried out", async () => {
  const question = { kind: "approval", title: "?", schema: z.string() };
  for (const [request, status] of [
    ["stop", "stopped"],
    ["cancel", "cancelled"],
  ]) {
    const process = await open((ctx) => ctx.ask("q", question), {
      observe: () => undefined,
      inbox: {
        open: () => place.tamper("UPDATE runs SET request = ?, request_reason = 'late', request_by = 'ada'", String(request)),
        close: () => Promise.resolve(),
      },
      // The owner never polls by itself.
      pollMs: 3_600_000,
    });
    const runId = await process.engine.start("flow", request);
    const driven = process.engine.drive(runId);
    expect(await driven).toEqual({ status, reason: "late" });
    await place.tamper("UPDATE runs SET request = NULL");
  }
});

test("drive returns the outcome if another process finishes the run first", async () => {
  const [one, two] = [await open(() => Promise.resolve("done")), await open(() => Promise.resolve("done"))];
  const runId = await one.engine.start("flow", null);
  const original = two.sqlite.write.bind(two.sqlite);
  let first = true;
  Object.assign(two.sqlite, {
    write: async (work: Parameters<typeof original>[0]) => {
      if (first) await one.engine.drive(runId);
      first = false;
      return original(work);
    },
  });
  expect(await two.engine.drive(runId)).toEqual({ status: "completed", value: "done" });
});

test("a closed engine drives no run", async () => {
  const process = await open(() => never());
  const runId = await process.engine.start("flow", null);
  const driven = process.engine.drive(runId);
  await process.engine.close();
  expect(await driven).toMatchObject({ status: "stopped" });
});

test("steps that block the event loop do not prevent the renewal of the lease", async () => {
  const expiries = new Set<number>();
  const process = await place.open({
    workflows: [
      flow(async (ctx) => {
        const until = performance.now() + 30_000;
        for (let number = 0; expiries.size < 3 && performance.now() < until; number++)
          await ctx.step(`step:${number}`, () => Promise.resolve(number));
      }),
    ],
    kernel: undefined,
    leaseMs: 300,
  });
  const runId = await process.engine.start("flow", null);
  const watch = setInterval(() => {
    void process.engine.run(runId).then((run) => run?.holder && expiries.add(run.holder.expiresAt));
  }, 20);
  expect(await process.engine.drive(runId)).toMatchObject({ status: "completed" });
  clearInterval(watch);
  expect(expiries.size).toBeGreaterThanOrEqual(3);
});
