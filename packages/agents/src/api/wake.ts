import { wakeAtIn } from "../clients/error-text.ts";

const LONGEST_WAIT_MS = 7 * 24 * 3_600_000;

export interface Answered {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The retry time stated by the endpoint, in milliseconds since the epoch. */
export function wakeAt({ headers, body }: Answered, now: number): number | null {
  const waits = [
    inMs(headers["retry-after-ms"], 1),
    inMs(headers["retry-after"], 1000) ?? untilDate(headers["retry-after"], now),
    inMs(/"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1], 1000),
    untilDate(headers["anthropic-ratelimit-unified-reset"] ?? headers["anthropic-ratelimit-tokens-reset"], now),
  ];
  const wait = waits.find((found) => found !== null);
  return wait == null ? wakeAtIn(body, now) : now + Math.min(wait, LONGEST_WAIT_MS);
}

function inMs(value: string | undefined, factor: number): number | null {
  const amount = value === undefined || value.trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(amount) && amount >= 0 ? Math.ceil(amount * factor) : null;
}

function untilDate(value: string | undefined, now: number): number | null {
  // `Date.parse` reads a bare number as a year.
  const at = value === undefined || !/[a-z]/i.test(value) ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
