import { parseHours } from "#MM-parse_hours";
import { parseTime } from "#MM-parse_time";

export class BadQuestionError extends Error {
  override name = "BadQuestionError";
}

export function isOpen(hours: string, day: number, time: string): boolean {
  if (![0, 1, 2, 3, 4, 5, 6].includes(day)) throw new BadQuestionError(`${day} is no day from 0 to 6`);
  try {
    const minute = parseTime(time);
    return parseHours(hours).some((span) => span.day === day && span.from <= minute && minute < span.to);
  } catch (error) {
    throw new BadQuestionError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
