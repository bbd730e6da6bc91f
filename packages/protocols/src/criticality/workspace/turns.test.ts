import fc from "fast-check";
import { expect, test } from "vitest";
import { openTurns } from "./turns.ts";

test("at most the given number runs at once, work alone has no other beside it, and everything runs once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean(), { maxLength: 12 }), async (s, count, kinds) => {
      const turns = openTurns(count);
      const running = new Set<number>();
      const finished: number[] = [];
      const all = kinds.map((isAlone, index) =>
        turns[isAlone ? "alone" : "beside"](async () => {
          running.add(index);
          expect(running.size).toBeLessThanOrEqual(isAlone ? 1 : count);
          expect([...running].some((one) => one !== index && kinds[one] === true)).toBe(false);
          await s.schedule(Promise.resolve());
          running.delete(index);
          finished.push(index);
        }),
      );
      await s.waitFor(Promise.all(all));
      expect(finished.toSorted((a, b) => a - b)).toEqual(kinds.map((_, index) => index));
    }),
  );
});

test("a turn ends when its work fails", async () => {
  const turns = openTurns(1);
  await expect(turns.beside(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await turns.alone(() => Promise.resolve(2))).toBe(2);
});
