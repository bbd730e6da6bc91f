import type { ErrorCode } from "@slipway/durable/errors";
import { describe, expect, test } from "vitest";
import { pauseFor } from "./pause.ts";
import { escalationsAfter, isUnavailable, raisedTier } from "./tiers.ts";

const NOW = 1_000_000;
const DAY = 24 * 3_600_000;
const MINUTE = 60_000;
const pause = (code: ErrorCode, details: Record<string, unknown> = {}, round = 1, seed = "a", outageMs = 10 * MINUTE) =>
  pauseFor({ code, message: "", details }, { round, seed, now: NOW, outageMs });

describe("pauses for limits", () => {
  test.each(["rate_limited", "quota_exhausted"] as const)("%s with an end time is waited for exactly that long", (code) => {
    expect(pause(code, { wake_at: NOW + 90_000 })).toEqual({ kind: "wait", ms: 90_000 });
  });

  test("an end time in the past is a second, one in a month is a week and a day", () => {
    expect(pause("rate_limited", { wake_at: 5 })).toEqual({ kind: "wait", ms: 1_000 });
    expect(pause("quota_exhausted", { wake_at: NOW + 30 * DAY })).toEqual({ kind: "wait", ms: 8 * DAY });
  });

  test("a rate limit without an end time has growing, jittered pauses up to a maximum", () => {
    const waits = (seed: string) =>
      Array.from({ length: 20 }, (_, index) => {
        const found = pause("rate_limited", { wake_at: null }, index + 1, seed);
        return found?.kind === "wait" ? found.ms : Number.NaN;
      });
    const [mine, others] = [waits("a"), waits("b")];
    mine.forEach((ms, index) => {
      const whole = Math.min(15_000 * 2 ** index, 900_000);
      expect(ms).toBeGreaterThanOrEqual(whole * 0.75);
      expect(ms).toBeLessThanOrEqual(whole * 1.25);
    });
    expect(mine).toEqual(waits("a"));
    expect(mine).not.toEqual(others);
  });

  test("a quota without an end time, and a limit that does not pass, are questions", () => {
    expect(pause("quota_exhausted", { wake_at: null })).toEqual({ kind: "ask" });
    expect(pause("rate_limited", { wake_at: NOW }, 21)).toEqual({ kind: "ask" });
  });

  test("an outage is waited out from two seconds to five minutes, for as long as agents.yaml says; then a person is asked", () => {
    const pauses = Array.from({ length: 10 }, (_, index) => pause("provider_unavailable", {}, index + 1));
    const waits = pauses.flatMap((found) => (found?.kind === "wait" ? [found.ms] : []));
    waits.forEach((ms, index) => expect(Math.abs(ms / Math.min(2_000 * 2 ** index, 5 * MINUTE) - 1)).toBeLessThanOrEqual(0.25));
    expect(waits.length).toBe(9);
    expect(pauses.at(-1)).toEqual({ kind: "ask" });
    expect(pause("provider_unavailable", {}, 1, "a", 0)).toEqual({ kind: "ask" });
  });

  test("a budget is a question, too; any other failure is the worker's own", () => {
    expect(pause("budget_exceeded", { dimension: "calls" })).toEqual({ kind: "budget" });
    expect(pause("budget_exceeded")).toBeNull();
    expect(pause("answer_pending")).toEqual({ kind: "hand" });
    expect(pause("agent_refused")).toBeNull();
  });
});

describe("tiers", () => {
  test("after two failures the next tier tries, and the strongest has no next", () => {
    expect([0, 1, 2, 3, 4, 9].map(escalationsAfter)).toEqual([0, 0, 1, 1, 2, 4]);
    expect([0, 1, 2, 9].map((times) => raisedTier("fast", times))).toEqual(["fast", "standard", "strong", "strong"]);
    expect(raisedTier("strong", 1)).toBe("strong");
  });

  test("an unusable provider is replaced; a busy one is waited for", () => {
    const codes = ["provider_unavailable", "agent_not_installed", "provider_auth_missing", "rate_limited", "agent_failed"] as const;
    expect(codes.map(isUnavailable)).toEqual([true, true, true, false, false]);
  });
});
