import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, it } from "vitest";
import { inSlices, ownTurn } from "./turns.ts";

it("concurrent callers get one turn of the event loop each", async () => {
  let loops = 0;
  const stop = new AbortController();
  const count = async () => {
    for (; !stop.signal.aborted; loops++) await nextLoop();
  };
  void count();
  const seen: number[] = [];
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      await ownTurn();
      seen.push(loops);
    }),
  );
  stop.abort();
  expect(new Set(seen).size).toBe(5);
});

it("does the work for every item, in order, however long it takes", async () => {
  const done: number[] = [];
  const items = Array.from({ length: 40 }, (_, index) => index);
  let others = 0;
  const other = setInterval(() => others++, 0);
  await inSlices(items, (item) => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    done.push(item);
  });
  clearInterval(other);
  expect(done).toEqual(items);
  expect(others).toBeGreaterThan(0);
});
