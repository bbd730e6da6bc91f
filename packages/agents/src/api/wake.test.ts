import { expect, test } from "vitest";
import { wakeAt } from "./wake.ts";

const NOW = Date.parse("2026-11-16T10:00:00Z");

test.each<[string, Record<string, string>, string, number | null]>([
  ["milliseconds", { "retry-after-ms": "1500", "retry-after": "2" }, "", 1500],
  ["seconds", { "retry-after": "30" }, "", 30_000],
  ["a date", { "retry-after": "Mon, 16 Nov 2026 10:01:00 GMT" }, "", 60_000],
  ["a date that has passed", { "retry-after": "Mon, 16 Nov 2026 09:00:00 GMT" }, "", 0],
  ["a reset time", { "anthropic-ratelimit-tokens-reset": "2026-11-16T10:00:20Z" }, "", 20_000],
  ["Google's way", {}, '{"retryDelay": "34.07s"}', 34_070],
  ["OpenAI's words", {}, "Please try again in 1.5s.", 1500],
  ["OpenAI's text, in milliseconds", {}, "Please try again in 120ms.", 120],
  ["an absurd wait", { "retry-after": "999999999" }, "", 7 * 24 * 3_600_000],
  ["nonsense", { "retry-after": "soon" }, "", null],
  ["a negative wait", { "retry-after": "-5" }, "", null],
  ["nothing", {}, "", null],
])("%s", (_, headers, body, wait) => {
  const at = wakeAt({ headers, body }, NOW);
  expect(at === null ? null : at - NOW).toBe(wait);
});
