import { expect, test } from "vitest";
import { inTurns } from "./coalesce-per-key.ts";

function gates() {
  const log: string[] = [];
  const open: (() => void)[] = [];
  const turn = inTurns(async (name) => {
    log.push(`begin ${name}`);
    await new Promise<void>((resolve) => open.push(resolve));
    log.push(`end ${name}`);
    return log.length;
  });
  return { log, turn, next: async () => (open.shift()?.(), new Promise((resolve) => setImmediate(resolve))) };
}

test("calls for one name run in sequence, calls for different names in parallel", async () => {
  const { log, turn, next } = gates();
  const [a1, b1] = [turn("a"), turn("b")];
  await next();
  const a2 = turn("a");
  await next();
  await next();
  await next();
  await Promise.all([a1, b1, a2]);
  expect(log.filter((line) => line.endsWith(" a"))).toEqual(["begin a", "end a", "begin a", "end a"]);
  expect(log.slice(0, 2)).toEqual(["begin a", "begin b"]);
});

test("calls that arrive before a queued call starts share its result; later ones do not", async () => {
  const { log, turn, next } = gates();
  const first = turn("a");
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = [turn("a"), turn("a"), turn("a")];
  await next();
  await next();
  await next();
  await first;
  expect(new Set(await Promise.all(waiting)).size).toBe(1);
  expect(log).toEqual(["begin a", "end a", "begin a", "end a"]);
});

test("a failure goes to its own caller, and the next call still runs", async () => {
  let calls = 0;
  const turn = inTurns(async () => {
    calls += 1;
    if (calls === 1) throw new Error("first");
    return calls;
  });
  const first = turn("a");
  await Promise.resolve();
  await Promise.resolve();
  const second = turn("a");
  await expect(first).rejects.toThrow("first");
  expect(await second).toBe(2);
  expect(await turn("a")).toBe(3);
});
