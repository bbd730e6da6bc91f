import type { ClientError } from "./client.ts";

const LONGEST_WAIT_MS = 7 * 24 * 3_600_000;

/** Error texts of providers and clients, in the order they are tested: an exhausted quota also reads like a limit. */
const WORDS: readonly (readonly [ClientError["kind"], RegExp])[] = [
  ["context", /prompt is too long|context_length_exceeded|maximum context length|context window|maximum number of tokens|ContextOverflow/i],
  [
    "quota",
    /insufficient_quota|quota exceeded|exceeded your current quota|exhausted your (?:\w+ )?quota|usage limit|credit balance|insufficient credits|billing_error|out of credits/i,
  ],
  [
    "auth",
    /\b401\b|unauthori[sz]ed|authentication|invalid api key|api[ _]key (?:not valid|invalid)|API_KEY_INVALID|incorrect api key|not logged in|not signed in|please run \/login|missing environment variable|must specify the \w+_API_KEY|token has expired/i,
  ],
  [
    "rate_limit",
    /\b429\b|rate[ _-]?limit|too many requests|resource (?:has been )?exhausted|overloaded|\b529\b|at capacity|high demand|\b503\b/i,
  ],
  // A stream that breaks off is not one: the next call usually works.
  [
    "outage",
    /ECONNREFUSED|connection ?refused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|\b50[0-4] (?:internal|bad|gateway)|\bstatus(?: code)?:? 5\d\d\b|internal server error|bad gateway|gateway time-?out/i,
  ],
  ["refusal", /content[ _-]?(?:filter|policy)|safety|can't help with this|usage policy|flagged/i],
  [
    "model",
    /model[^.]{0,80}(?:does not exist|not found|not supported|may not exist)|model_not_found|ModelNotFound|is not found for API version/i,
  ],
];

/** Only for messages of the client itself, never for text of a model or a file. */
export function errorIn(message: string, now: number): ClientError {
  const kind = WORDS.find(([, words]) => words.test(message))?.[0] ?? "other";
  return { kind, message, wakeAt: wakeAtIn(message, now) };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** "try again in 20s", "retry after 120 seconds", "in 2 hours 5 minutes", "limit reached|1762952400", "try again at 4:54 AM". */
export function wakeAtIn(message: string, now: number): number | null {
  const epoch = /\|(\d{10})\b/.exec(message)?.[1];
  if (epoch !== undefined) return bounded(Number(epoch) * 1000 - now, now);
  const phrase =
    /(?:try again|retry|wait|resets?)(?: after| in| for)?:? ((?:[\d.]+ ?(?:ms|milliseconds?|s|seconds?|m|min|minutes?|h|hours?|d|days?)\b[ ,and]*)+)/i.exec(
      message,
    )?.[1];
  if (phrase === undefined) return clockTimeIn(message, now);
  const parts = [...phrase.matchAll(/([\d.]+) ?(ms|milli|[smhd])/gi)];
  const wait = parts.reduce(
    (sum, [, value, unit = ""]) => sum + Number(value) * (UNITS[unit === "milli" ? "ms" : unit.toLowerCase()] ?? 0),
    0,
  );
  return bounded(wait, now);
}

const CLOCK_TIME =
  /(?:try again|resets?|renews?) at:? (?:([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,| at)? )?(\d{1,2}):(\d{2})(?: ?([ap])\.?m)?/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** "at 4:54 AM" or "at Nov 20th, 2026 4:54 AM", in the time zone of the client, which is ours. Without a day it is the next such time. */
function clockTimeIn(message: string, now: number): number | null {
  const [, month, day, year, hour = "", minute = "", half] = CLOCK_TIME.exec(message) ?? [];
  if (hour === "") return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const at = new Date(now);
  if (month !== undefined) at.setFullYear(Number(year ?? at.getFullYear()), MONTHS.indexOf(month.toLowerCase()), Number(day));
  at.setHours(hours, Number(minute), 0, 0);
  if (month === undefined && at.getTime() <= now) at.setDate(at.getDate() + 1);
  return bounded(at.getTime() - now, now);
}

function bounded(wait: number, now: number): number | null {
  return Number.isFinite(wait) && wait >= 0 ? now + Math.min(Math.ceil(wait), LONGEST_WAIT_MS) : null;
}
