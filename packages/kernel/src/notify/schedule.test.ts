import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextReminder, planReminder } from "./schedule.ts";

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

describe("[CRI-135] the next time of a schedule", () => {
  test.each([
    ["0 9 * * *", "UTC", "2026-11-18T08:59:59Z", "2026-11-18T09:00:00.000Z"],
    ["0 9 * * *", "UTC", "2026-11-18T09:00:00Z", "2026-11-19T09:00:00.000Z"],
    ["0 */4 * * *", "UTC", "2026-11-18T09:00:00Z", "2026-11-18T12:00:00.000Z"],
    ["0 9 * * 1-5", "UTC", "2026-11-20T09:00:00Z", "2026-11-23T09:00:00.000Z"],
    ["30 18 1 JAN *", "UTC", "2026-11-20T09:00:00Z", "2027-01-01T18:30:00.000Z"],
    ["0 9 * * *", "Asia/Kolkata", "2026-11-18T00:00:00Z", "2026-11-18T03:30:00.000Z"],
  ])("%s in %s after %s", (expression, timeZone, after, expected) => {
    expect(iso(nextReminder({ expression, timeZone }, at(after)))).toBe(expected);
  });
});

describe("when the clocks change", () => {
  const times = (expression: string, timeZone: string, from: string, count: number) => {
    const found: string[] = [];
    for (let last = at(from); found.length < count;) {
      last = nextReminder({ expression, timeZone }, last);
      found.push(iso(last));
    }
    return found;
  };

  test("nine in the morning stays nine in the morning", () => {
    expect(times("0 9 * * *", "Europe/Berlin", "2026-03-28T09:00:00Z", 2)).toEqual([
      "2026-03-29T07:00:00.000Z",
      "2026-03-30T07:00:00.000Z",
    ]);
    expect(times("0 9 * * *", "Europe/Berlin", "2026-10-24T09:00:00Z", 2)).toEqual([
      "2026-10-25T08:00:00.000Z",
      "2026-10-26T08:00:00.000Z",
    ]);
    expect(times("0 9 * * *", "America/New_York", "2026-10-31T14:00:00Z", 2)).toEqual([
      "2026-11-01T14:00:00.000Z",
      "2026-11-02T14:00:00.000Z",
    ]);
  });

  test("a local time that is skipped occurs once that day, and one that is repeated once", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
  });
});

const moment = fc.integer({ min: at("2025-01-01T00:00:00Z"), max: at("2030-01-01T00:00:00Z") });
const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo");

test("a daily time is strictly later, at most 25 hours away, and at its local hour unless that hour is skipped", () => {
  fc.assert(
    fc.property(moment, zone, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), (after, timeZone, hour, minute) => {
      const next = nextReminder({ expression: `${minute} ${hour} * * *`, timeZone }, after);
      expect(next).toBeGreaterThan(after);
      expect(next - after).toBeLessThanOrEqual(25 * 3_600_000);
      const parts = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(next);
      const wanted = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
      const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
      // A skipped time moves to the end of the gap, which is an hour at most.
      if (parts !== wanted) expect(minutesOf(parts) - minutesOf(wanted)).toBeLessThanOrEqual(60);
    }),
  );
});

describe("[CRI-136] a reminder is due", () => {
  const schedule = { expression: "0 9 * * *", timeZone: "UTC" };
  const now = at("2026-11-18T09:30:00Z");

  test("only while something is blocked", () => {
    expect(planReminder(schedule, { blockedSince: null, lastSent: null, now })).toEqual({ due: false, next: null });
    expect(planReminder(schedule, { blockedSince: at("2026-11-18T08:00:00Z"), lastSent: null, now })).toEqual({
      due: true,
      next: at("2026-11-19T09:00:00Z"),
    });
  });

  test("not for a time before the block", () => {
    expect(planReminder(schedule, { blockedSince: at("2026-11-18T09:10:00Z"), lastSent: null, now }).due).toBe(false);
  });

  test("once for several times that were missed", () => {
    const blockedSince = at("2026-11-10T08:00:00Z");
    expect(planReminder(schedule, { blockedSince, lastSent: null, now }).due).toBe(true);
    expect(planReminder(schedule, { blockedSince, lastSent: now, now: now + 60_000 })).toEqual({
      due: false,
      next: at("2026-11-19T09:00:00Z"),
    });
  });

  test("at most once for each time, whenever it is looked at", () => {
    const looks = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(looks, (minutes) => {
        let [time, lastSent, sent] = [at("2026-11-18T00:00:00Z"), null as number | null, 0];
        const blockedSince = time;
        for (const later of minutes) {
          time += later * 60_000;
          if (!planReminder(schedule, { blockedSince, lastSent, now: time }).due) continue;
          lastSent = time;
          sent++;
        }
        const passed = Math.floor((time - at("2026-11-17T09:00:00Z")) / 86_400_000);
        expect(sent).toBeLessThanOrEqual(passed);
        if (passed > 0) expect(sent).toBeGreaterThan(0);
      }),
    );
  });
});
