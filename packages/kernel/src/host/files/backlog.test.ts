import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openBacklog } from "./backlog.ts";

const LONG_MS = 60_000;

test("what is put off is done in its order, by itself after a while, and at once for whoever waits", async () => {
  const done: string[] = [];
  const slow = openBacklog(LONG_MS);
  slow.later(async () => void done.push("one"));
  slow.later(async () => {
    await sleep(5);
    done.push("two");
    // Also what comes up while it is written.
    slow.later(async () => void done.push("three"));
  });
  await Promise.resolve();
  expect(done).toEqual([]);
  await Promise.all([slow.settled(), slow.settled()]);
  expect(done).toEqual(["one", "two", "three"]);
  await slow.settled();

  const { promise, resolve } = Promise.withResolvers<string>();
  openBacklog(1).later(async () => resolve("by itself"));
  expect(await promise).toBe("by itself");
});

test("what goes wrong is told once, to whoever comes next; nothing after it is written before", async () => {
  const done: string[] = [];
  const backlog = openBacklog(1);
  backlog.later(() => Promise.reject(new Error("ENOSPC")));
  backlog.later(async () => void done.push("after"));
  await sleep(20);
  expect(done).toEqual([]);
  expect(() => backlog.later(async () => void done.push("never"))).toThrow("ENOSPC");
  await backlog.settled();
  expect(done).toEqual(["after"]);

  backlog.later(() => Promise.reject(new Error("EIO")));
  await expect(backlog.settled()).rejects.toThrow("EIO");
  await backlog.settled();
});
