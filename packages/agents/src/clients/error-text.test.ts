import { expect, test } from "vitest";
import { errorIn, wakeAtIn } from "./error-text.ts";

const NOW = 1_800_000_000_000;

test.each([
  ["exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"],
  ["Selected model is at capacity. Please try a different model.", "rate_limit"],
  ["API Error: 529 Overloaded. This is a server-side issue", "rate_limit"],
  ["Quota exceeded. Check your plan and billing details.", "quota"],
  ["[API Error: You have exhausted your daily quota on this model.]", "quota"],
  ["Credit balance is too low", "quota"],
  ["Claude AI usage limit reached|1800003600", "quota"],
  ["unexpected status 401 Unauthorized: Incorrect API key provided., url: http://x/v1", "auth"],
  ["Not logged in · Please run /login", "auth"],
  ["When using Gemini API, you must specify the GEMINI_API_KEY environment variable.", "auth"],
  ["API key not valid. Please pass a valid API key.", "auth"],
  ["Codex ran out of room in the model's context window.", "context"],
  ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "context"],
  ["The model `no-such-model` does not exist or you do not have access to it.", "model"],
  ["models/no-such-model is not found for API version v1beta", "model"],
  ["API Error: Sonnet 4.6 can't help with this.", "refusal"],
  ["API Error: Unable to connect to API (ConnectionRefused)", "outage"],
  ["unexpected status 500 Internal Server Error: down, url: http://x/v1", "outage"],
  ["request to http://x failed, reason: connect ECONNREFUSED 127.0.0.1:9", "outage"],
  ["getaddrinfo ENOTFOUND api.example", "outage"],
  ["stream disconnected before completion: network error", "other"],
  ["", "other"],
])("%s is an error of kind %s", (message, kind) => {
  expect(errorIn(message, NOW)).toMatchObject({ kind, message });
});

test.each([
  ["Please try again in 20s.", NOW + 20_000],
  ["Suggested retry after 120s.", NOW + 120_000],
  ["rate limited; retry in 250ms", NOW + 250],
  ["Try again in 2 hours 5 minutes.", NOW + 7_500_000],
  ["try again in 3 days", NOW + 3 * 86_400_000],
  ["usage limit reached|1800003600", NOW + 3_600_000],
  ["usage limit reached|9999999999", NOW + 7 * 86_400_000],
  ["usage limit reached|1700000000", null],
  ["wait and see", null],
  ["", null],
])("%s: ends at %s", (message, at) => {
  expect(wakeAtIn(message, NOW)).toBe(at);
});

/** In the time zone of this process. */
const local = (year: number, month: number, day: number, hour: number, minute: number) =>
  new Date(year, month - 1, day, hour, minute).getTime();

test.each([
  ["You've hit your usage limit. Upgrade to Pro, or try again at 4:54 AM.", local(2026, 11, 20, 4, 54)],
  ["try again at 11:30 PM", local(2026, 11, 19, 23, 30)],
  ["Your limit resets at 12:05 am", local(2026, 11, 20, 0, 5)],
  ["try again at 13:15", local(2026, 11, 19, 13, 15)],
  ["try again at Nov 21st, 2026 4:54 AM.", local(2026, 11, 21, 4, 54)],
  ["try again at Nov 21 at 4:54 AM.", local(2026, 11, 21, 4, 54)],
  ["try again at Foo 21st, 2026 4:54 AM.", null],
  ["try again at Nov 18th, 2026 4:54 AM.", null],
])("%s, at noon of 19 November 2026", (message, at) => {
  expect(wakeAtIn(message, local(2026, 11, 19, 12, 0))).toBe(at);
});
