import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { workflow, type Ctx, type Question } from "./ctx.ts";
import { SlipwayError } from "./errors.ts";
import { remaining } from "./pause.ts";
import { openPlace, type Place, type Process } from "./testing/process.ts";
import { virtualTime, type VirtualTime } from "./testing/virtual-time.ts";

let place: Place;
let time: VirtualTime;
beforeEach(() => {
  place = openPlace();
  time = virtualTime();
});
afterEach(() => place.dispose());

const HOUR = 3_600_000;
const approve: Question<string> = { kind: "approval", title: "Go on?", schema: z.string() };
const open = (run: (ctx: Ctx) => Promise<unknown>): Promise<Process> =>
  place.open({
    workflows: [workflow("flow", "1", run)],
    kernel: undefined,
    clock: time.clock,
    sleep: time.sleep,
    pollMs: HOUR / 60,
    leaseMs: HOUR,
  });

interface Watched {
  readonly runId: string;
  outcome: unknown;
}
async function drive({ engine }: Process, runId?: string): Promise<Watched> {
  const watched: Watched = { runId: runId ?? (await engine.start("flow", null)), outcome: undefined };
  void engine.drive(watched.runId, { whenWaiting: "wait" }).then(
    (outcome) => (watched.outcome = outcome),
    (error: unknown) => (watched.outcome = error),
  );
  await time.settle();
  return watched;
}

test("a sleep ends when its time has passed, not before", async () => {
  const run = await drive(await open((ctx) => ctx.sleep("nap", 10 * HOUR).then(() => "awake")));
  await time.advance(10 * HOUR - 1);
  expect(run.outcome).toBeUndefined();
  await time.advance(1);
  expect(run.outcome).toEqual({ status: "completed", value: "awake" });
});

test.each([
  ["while the process was away", 4 * HOUR, 6 * HOUR],
  ["altogether", 20 * HOUR, 0],
])("time that passes %s counts towards the sleep", async (_when, away, left) => {
  const run = (ctx: Ctx) => ctx.sleep("nap", 10 * HOUR).then(() => "awake");
  const first = await open(run);
  const { runId } = await drive(first);
  first.crash();
  time.jump(away);
  const second = await drive(await open(run), runId);
  await time.advance(Math.max(0, left - 1));
  if (left > 0) expect(second.outcome).toBeUndefined();
  await time.advance(1);
  expect(second.outcome).toEqual({ status: "completed", value: "awake" });
});

test.each([-1000 * HOUR, 1000 * HOUR])("a clock that jumps by %d ms changes no running sleep, timeout or back-off", async (jump) => {
  let attempts = 0;
  const run = await drive(
    await open((ctx) =>
      ctx.all<unknown>([
        () => ctx.sleep("nap", 2 * HOUR).then(() => "awake"),
        () => ctx.ask("approve", { ...approve, timeoutMs: 2 * HOUR, onTimeout: "expired" }),
        () =>
          ctx.step(
            "flaky",
            () => (++attempts === 1 ? Promise.reject(new SlipwayError("database_locked", "busy")) : Promise.resolve("ok")),
            {
              retry: { attempts: 2, backoffMs: 2 * HOUR },
            },
          ),
        () =>
          ctx
            .step(
              "slow",
              (signal) => new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
              {
                timeoutMs: 2 * HOUR,
              },
            )
            .catch((error: SlipwayError) => error.code),
      ]),
    ),
  );
  await time.advance(HOUR);
  time.jump(jump);
  await time.advance(HOUR - HOUR / 60);
  expect(attempts).toBe(1);
  expect(run.outcome).toBeUndefined();
  await time.advance(HOUR / 30);
  expect(run.outcome).toEqual({ status: "completed", value: ["awake", "expired", "ok", "step_timeout"] });
});

test("after the clock was set back, a restart waits at most the whole time", async () => {
  const run = (ctx: Ctx) => ctx.sleep("nap", 10 * HOUR).then(() => "awake");
  const first = await open(run);
  const { runId } = await drive(first);
  first.crash();
  time.jump(-1000 * HOUR);
  const second = await drive(await open(run), runId);
  await time.advance(10 * HOUR);
  expect(second.outcome).toEqual({ status: "completed", value: "awake" });
  expect([remaining(10, 100, 95), remaining(10, 100, 104), remaining(10, 100, 200)]).toEqual([10, 6, 0]);
});

test("the recorded wake-up time counts, not the one in changed code", async () => {
  let ms = 5 * HOUR;
  const run = (ctx: Ctx) => ctx.sleep("nap", ms).then(() => "awake");
  const first = await open(run);
  const { runId } = await drive(first);
  first.crash();
  ms = 1;
  const second = await drive(await open(run), runId);
  await time.advance(4 * HOUR);
  expect(second.outcome).toBeUndefined();
  await time.advance(HOUR);
  expect(second.outcome).toMatchObject({ status: "completed" });
});

test("back-offs grow up to a maximum, and continue after a crash", async () => {
  const starts: number[] = [];
  const run = (ctx: Ctx) =>
    ctx.step("flaky", () => (starts.push(time.clock.now()), Promise.reject(new SlipwayError("step_timeout", "busy"))), {
      retry: { attempts: 5, backoffMs: HOUR, factor: 3, maxBackoffMs: 5 * HOUR },
    });
  const first = await open(run);
  const { runId } = await drive(first);
  await time.advance(2 * HOUR);
  first.crash();
  time.jump(HOUR / 2);
  const second = await drive(await open(run), runId);
  await time.advance(30 * HOUR);
  expect(second.outcome).toMatchObject({ status: "failed", failure: { code: "step_timeout" } });
  expect(starts.slice(1).map((at, index) => (at - starts[index]!) / HOUR)).toEqual([1, 3, 5, 5]);
});

test("reminders and expiry count from the time of the question, across restarts", async () => {
  const run = (ctx: Ctx) => ctx.ask("approve", { ...approve, remindAfterMs: [HOUR, 3 * HOUR, 50 * HOUR], timeoutMs: 4 * HOUR });
  const first = await open(run);
  const { runId } = await drive(first);
  const asked = place.inbox.questions.get(`${runId}#approve`)!;
  expect(asked).toMatchObject({
    expiresAt: asked.askedAt + 4 * HOUR,
    remindAfterMs: [HOUR, 3 * HOUR, 50 * HOUR],
    answerSchema: { type: "string" },
    kind: "approval",
  });
  await time.advance(1.5 * HOUR);
  first.crash();
  time.jump(HOUR);
  const process = await open(run);
  const second = await drive(process, runId);
  await time.advance(1.5 * HOUR + HOUR / 30);
  expect(second.outcome).toMatchObject({ status: "failed", failure: { code: "question_expired", details: { question: "approve" } } });
  const events = await process.engine.events(runId);
  const due = events
    .filter((event) => event.kind === "reminder")
    .map((event) => [event.key, Math.round((event.at - asked.askedAt) / HOUR)]);
  expect(due).toEqual([
    ["approve@reminder1", 1],
    ["approve@reminder2", 3],
  ]);
  expect(asked.closed).toBe("expired");
});

test("an answer that arrives at the moment of expiry is accepted", async () => {
  const process = await open((ctx) => ctx.ask("approve", { ...approve, timeoutMs: HOUR, onTimeout: "expired" }));
  const closing = place.inbox.close.bind(place.inbox);
  let runId = "";
  Object.assign(place.inbox, {
    close: async (...call: Parameters<typeof closing>) => {
      if (call[2] === "expired") await process.engine.signal(runId, "approve", "just in time");
      return closing(...call);
    },
  });
  const run = await drive(process);
  runId = run.runId;
  await time.advance(2 * HOUR);
  expect(run.outcome).toEqual({ status: "completed", value: "just in time" });
});
