import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemIds } from "@slipway/durable/environment";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { notificationsPolicy } from "../config/notifications.ts";
import { openBench, type Bench } from "../record/operations/testing/door.ts";
import { openInbox, type NewQuestion, type QuestionInbox } from "../record/questions/inbox.ts";
import { openNotifier, type Notifier, type NotifierOptions } from "./notifier.ts";
import type { NotificationPayload } from "./payload.ts";
import { deadEndpoint, openReceiver, type Receiver } from "./testing/receiver.ts";

const START = Date.UTC(2026, 10, 18, 8);
let bench: Bench;
let inbox: QuestionInbox;
const open: Receiver[] = [];
beforeEach(async () => {
  bench = await openBench();
  bench.clock.time = START;
  inbox = openInbox(bench);
});
afterEach(async () => {
  for (const receiver of open.splice(0)) await receiver.close();
  await bench.close();
});
const receiving = async (...given: Parameters<typeof openReceiver>) => {
  const receiver = await openReceiver(...given);
  open.push(receiver);
  return receiver;
};

type Channel = Partial<{ endpoint: string; enabled: boolean; events: string[] }>;
function notifier(channels: readonly Channel[], changes: object = {}, options: Partial<NotifierOptions> = {}): Notifier {
  const full = channels.map((channel) => ({ type: "webhook", events: ["block", "complete", "error", "phase_change"], ...channel }));
  const config = notificationsPolicy.parse({ allow_loopback: true, time_zone: "UTC", channels: full, ...changes });
  const parts = { db: bench.db, door: bench.another(), inbox, clock: bench.clock, ids: systemIds, env: {}, folder: bench.folder };
  return openNotifier({ config, ...parts, sleep: async () => undefined, ...options });
}

const question = (id = "r1#choose"): NewQuestion => ({
  id,
  runId: "r1",
  name: id,
  kind: "conflict",
  title: "Which one holds?",
  body: "",
  options: [],
  answerSchema: {},
  context: {},
  answerableBy: [],
  remindAfterMs: [],
  askedAt: bench.clock.time,
  expiresAt: null,
});
const done = { event: "complete", state: { type: "completed", run_id: "r1" } } as const;
const bodies = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body) as NotificationPayload);
const rows = () => bench.db.selectFrom("notifications").select(["event", "channel", "status", "reason"]).orderBy("id").execute();

describe("[CRI-133] channels", () => {
  test("an event is posted as JSON to every enabled channel that lists it, and to no other", async () => {
    const [one, two, off, other] = [await receiving(), await receiving(), await receiving(), await receiving()];
    const sender = notifier([
      { endpoint: one.url, events: ["complete"] },
      { endpoint: two.url, events: ["block", "complete"] },
      { endpoint: off.url, enabled: false },
      { endpoint: other.url, events: ["block", "error", "phase_change"] },
    ]);
    await sender.tell("r1", done);
    await sender.settle();
    expect([one, two, off, other].map(({ received }) => received.length)).toEqual([1, 1, 0, 0]);
    expect(one.received[0]).toMatchObject({ method: "POST", headers: { "content-type": "application/json" } });
    expect(bodies(one)).toMatchObject([{ event: "complete", protocol_state: { type: "completed", run_id: "r1" } }]);
  });

  test.each(["block", "complete", "error", "phase_change"] as const)("%s is sent", async (event) => {
    const receiver = await receiving();
    const sender = notifier([{ endpoint: receiver.url, events: [event] }]);
    await sender.tell("s", { event, state: { type: "active", run_id: "r1", currentPhase: "lattice" } });
    await sender.settle();
    expect(bodies(receiver)).toMatchObject([{ event, protocol_state: { currentPhase: "lattice" } }]);
  });

  test("nothing is sent or recorded when notifications are off or not configured", async () => {
    const receiver = await receiving();
    const off = notifier([{ endpoint: receiver.url }], { enabled: false, reminder_schedule: "* * * * *" });
    const { inbox: box, ...none } = { ...bench, inbox, ids: systemIds, env: {}, config: undefined };
    const without = openNotifier({ ...none, inbox: box });
    await inbox.open(question());
    bench.clock.time += 3_600_000;
    for (const sender of [off, without]) {
      await sender.block(question());
      await sender.remind();
      await sender.settle();
    }
    expect([receiver.received, await rows()]).toEqual([[], []]);
    expect(existsSync(join(bench.folder, "notification-state.json"))).toBe(false);
  });

  test("an endpoint can be the value of a variable; without it the message fails", async () => {
    const receiver = await receiving();
    const channels = [{ endpoint: "env:HOOK" }];
    const sender = notifier(channels, {}, { env: { HOOK: receiver.url } });
    await sender.tell("a", done);
    await sender.settle();
    const without = notifier(channels);
    await without.tell("b", done);
    await without.settle();
    expect(receiver.received).toHaveLength(1);
    expect((await without.state()).failures).toMatchObject([{ reason: "the variable of its endpoint is not set" }]);
  });

  test("secrets of the machine are removed from what is sent", async () => {
    const receiver = await receiving();
    const conceal = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "***")) as T;
    const sender = notifier([{ endpoint: receiver.url }], {}, { conceal });
    await sender.block({ ...question(), title: "Is hunter2 right?" });
    await sender.settle();
    expect(bodies(receiver)).toMatchObject([{ blocking_record: { query: "Is *** right?" } }]);
  });
});

describe("[CRI-138] a block", () => {
  test("is told once, also by another process and after a restart", async () => {
    const receiver = await receiving();
    const processes = [notifier([{ endpoint: receiver.url }]), notifier([{ endpoint: receiver.url }])];
    expect(await processes[0]?.wasTold("r1#choose")).toBe(false);
    await Promise.all([...processes, ...processes].map((sender) => sender.block(question())));
    for (const sender of processes) await sender.settle();
    const restarted = notifier([{ endpoint: receiver.url }]);
    await restarted.block(question());
    await restarted.settle();
    expect(bodies(receiver)).toMatchObject([{ event: "block", blocking_record: { id: "r1#choose", resolved: false } }]);
    expect(await restarted.wasTold("r1#choose")).toBe(true);
    await restarted.block(question("r1#another"));
    await restarted.settle();
    expect(receiver.received).toHaveLength(2);
  });

  test("is not told again when the process ended between the mark and the message", async () => {
    const receiver = await receiving();
    const dying = notifier([{ endpoint: receiver.url }], {}, { resolve: () => new Promise(() => undefined), graceMs: 0 });
    const stuck = notifier([{ endpoint: "http://hooks.localhost:1/" }], {}, { resolve: () => new Promise(() => undefined) });
    await stuck.block(question());
    expect(await rows()).toMatchObject([{ status: "marked" }]);
    await dying.block(question());
    await dying.settle();
    expect(receiver.received).toEqual([]);
  });

  test("is marked before it is sent, and the outcome is recorded after", async () => {
    let during: unknown;
    const receiver = await receiving((response) => {
      void rows().then((found) => {
        during = found;
        response.end();
      });
    });
    const sender = notifier([{ endpoint: receiver.url }]);
    await sender.block(question());
    await sender.settle();
    expect(during).toMatchObject([{ status: "marked" }]);
    expect(await rows()).toMatchObject([{ status: "sent", reason: null, channel: `127.0.0.1:${receiver.port}` }]);
  });
});

describe("[CRI-137] a webhook that fails", () => {
  test("is recorded, and stops neither the caller nor other channels", async () => {
    const [good, bad] = [await receiving(), await receiving((response) => void response.writeHead(500).end())];
    const sender = notifier([{ endpoint: await deadEndpoint() }, { endpoint: bad.url }, { endpoint: good.url }]);
    await sender.tell("r1", done);
    await sender.settle();
    expect(good.received).toHaveLength(1);
    expect((await rows()).map(({ status, reason }) => [status, reason])).toEqual([
      ["failed", "the connection failed (ECONNREFUSED)"],
      ["failed", "it answered with status 500"],
      ["sent", null],
    ]);
    const written = readFileSync(join(bench.folder, "notification-state.json"), "utf8");
    expect(JSON.parse(written)).toEqual(await sender.state());
    expect(JSON.parse(written)).toMatchObject({ failures: [{ event: "complete" }, { reason: "it answered with status 500" }] });
    expect(written + JSON.stringify(await rows())).not.toContain("secret");
  });

  test("that never answers does not hold up the caller, and is given up when Slipway ends", async () => {
    const receiver = await receiving(() => undefined);
    const sender = notifier([{ endpoint: receiver.url }], {}, { graceMs: 50 });
    await sender.block(question());
    expect(await rows()).toMatchObject([{ status: "marked" }]);
    await sender.settle();
    expect(await rows()).toMatchObject([{ status: "failed", reason: "Slipway ended before it was delivered" }]);
  });

  test("and a database that fails leave the caller alone", async () => {
    const receiver = await receiving();
    const door = { perform: () => Promise.reject(new Error("disk full")) };
    const sender = notifier([{ endpoint: receiver.url }], {}, { door });
    await sender.block(question());
    await sender.tell("r1", done);
    await sender.settle();
    expect(receiver.received).toEqual([]);
  });
});

describe("[CRI-136] reminders", () => {
  const HOURLY = { reminder_schedule: "0 * * * *" };

  test("go out once for each time, only while a question is open, to channels that list block", async () => {
    const [receiver, other] = [await receiving(), await receiving()];
    const channels = [{ endpoint: receiver.url }, { endpoint: other.url, events: ["complete"] }];
    const [one, two] = [notifier(channels, HOURLY), notifier(channels, HOURLY)];
    const look = async (minutes: number) => {
      bench.clock.time = START + minutes * 60_000;
      await Promise.all([one.remind(), two.remind()]);
      await one.settle();
      await two.settle();
      return receiver.received.length;
    };
    expect(await look(61)).toBe(0);
    await inbox.open(question());
    expect(await look(119)).toBe(0);
    expect(await look(120)).toBe(1);
    expect(await look(121)).toBe(1);
    expect(await look(400)).toBe(2);
    await inbox.close("r1", "r1#choose", "answered");
    expect(await look(500)).toBe(2);
    expect(other.received).toEqual([]);
    expect(bodies(receiver)[0]).toMatchObject({
      event: "block",
      protocol_state: { type: "blocked", reminder: true },
      blocking_record: { id: "r1#choose", resolved: false },
    });
  });

  test("the file has the last one and the next one", async () => {
    const receiver = await receiving();
    const sender = notifier([{ endpoint: receiver.url }], HOURLY);
    await inbox.open(question());
    bench.clock.time = START + 3_600_000;
    await sender.remind();
    await sender.settle();
    expect(JSON.parse(readFileSync(join(bench.folder, "notification-state.json"), "utf8"))).toEqual({
      cron_expression: "0 * * * *",
      enabled: true,
      last_sent: "2026-11-18T09:00:00.000Z",
      next_scheduled: "2026-11-18T10:00:00.000Z",
      failures: [],
    });
  });
});
