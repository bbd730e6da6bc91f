import { expect, test, vi } from "vitest";
import { createPulse, systemSleep } from "./timer.ts";

test("a sleep longer than the maximum of setTimeout does not end at once", async () => {
  vi.useFakeTimers();
  let awake = false;
  void systemSleep(2 ** 31 + 1000, new AbortController().signal).then(() => (awake = true));
  await vi.advanceTimersByTimeAsync(2 ** 31);
  expect(awake).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(awake).toBe(true);
  vi.useRealTimers();
});

test("an abort ends a sleep or prevents it", async () => {
  const abort = new AbortController();
  const asleep = systemSleep(3_600_000, abort.signal);
  abort.abort();
  await asleep;
  await systemSleep(3_600_000, abort.signal);
  await systemSleep(0, new AbortController().signal);
});

test("a pulse resolves all pending promises, and no later ones", async () => {
  const pulse = createPulse();
  pulse.beat();
  const woken: string[] = [];
  void pulse.next().then(() => woken.push("a"));
  void pulse.next().then(() => woken.push("b"));
  await Promise.resolve();
  expect(woken).toEqual([]);
  pulse.beat();
  void pulse.next().then(() => woken.push("late"));
  await Promise.resolve();
  expect(woken).toEqual(["a", "b"]);
});
