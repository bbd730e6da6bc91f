import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gateSlots } from "./slots.ts";

/** Work that ends on demand. */
function job(name: string, log: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    finish: resolve,
    async work() {
      log.push(`start ${name}`);
      await promise;
      log.push(`end ${name}`);
      return name;
    },
  };
}

describe("[FEA-123] gate slots", () => {
  test("are never exceeded, and waiting calls are served in order of arrival", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), async (places, choices) => {
        const slots = gateSlots(places);
        const log: string[] = [];
        const jobs = choices.map((_, index) => job(String(index), log));
        const done = jobs.map(({ work }) => slots.within(work));
        const running = new Set<number>();
        let started = 0;
        for (const choice of choices) {
          await turn();
          while (running.size < places && started < jobs.length) running.add(started++);
          expect(log.filter((line) => line.startsWith("start"))).toEqual(Array.from({ length: started }, (_, index) => `start ${index}`));
          const ends = [...running][choice % running.size] ?? 0;
          running.delete(ends);
          jobs[ends]?.finish();
          await done[ends];
        }
        expect(await Promise.all(done)).toEqual(choices.map((_, index) => String(index)));
      }),
    );
  });

  test("a failure releases its slot", async () => {
    const slots = gateSlots(1);
    await expect(slots.within(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await slots.within(async () => "next")).toBe("next");
  });

  test("an aborted call leaves the queue and blocks no other", async () => {
    const slots = gateSlots(1);
    const log: string[] = [];
    const [first, second, third] = ["1", "2", "3"].map((name) => job(name, log));
    const stop = new AbortController();
    const done = [
      slots.within(first!.work),
      slots.within(second!.work, stop.signal),
      slots.within(third!.work, new AbortController().signal),
    ];
    const refused = expect(done[1]).rejects.toMatchObject({ code: "run_stopped" });
    stop.abort();
    await refused;
    await expect(slots.within(second!.work, AbortSignal.abort())).rejects.toMatchObject({ code: "run_stopped" });
    first!.finish();
    third!.finish();
    expect(await Promise.all([done[0], done[2]])).toEqual(["1", "3"]);
    expect(log).toEqual(["start 1", "end 1", "start 3", "end 3"]);
  });
});
