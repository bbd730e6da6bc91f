import { formatTime } from "#MM-format_time";
import { parseHours } from "#MM-parse_hours";
import { parseTime } from "#MM-parse_time";

export class BadQuestionError extends Error {
  override name = "BadQuestionError";
}

const DAY = 24 * 60;
const WEEK = 7 * DAY;

export function nextOpening(hours: string, day: number, time: string): { day: number; time: string } | null {
  if (![0, 1, 2, 3, 4, 5, 6].includes(day)) throw new BadQuestionError(`${day} is no day from 0 to 6`);
  const now = day * DAY + read(() => parseTime(time));
  const starts = read(() => parseHours(hours)).map((span) => {
    const [from, to] = [span.day * DAY + span.from, span.day * DAY + span.to];
    const wait = from <= now && now < to ? 0 : (from - now + WEEK) % WEEK;
    return (now + wait) % WEEK;
  });
  const [next] = starts.toSorted((left, right) => ((left - now + WEEK) % WEEK) - ((right - now + WEEK) % WEEK));
  return next === undefined ? null : { day: Math.floor(next / DAY), time: formatTime(next % DAY) };
}

function read<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw new BadQuestionError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
