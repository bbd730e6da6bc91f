import { joinSpans } from "#MM-join_spans";
import { parseDays } from "#MM-parse_days";
import { parseTime } from "#MM-parse_time";

export class BadHoursError extends Error {
  override name = "BadHoursError";
}

interface Span {
  day: number;
  from: number;
  to: number;
}

export function parseHours(text: string): Span[] {
  const rules = text.split(";").map((rule) => rule.trim());
  return joinSpans(rules.filter((rule) => rule !== "").flatMap(parseRule));
}

function parseRule(rule: string): Span[] {
  const [days = "", times = "", ...more] = rule.split(/\s+/);
  const [from = "", to = ""] = times.split("-");
  try {
    const [begin, end] = [parseTime(from), parseTime(to, true)];
    if (more.length > 0 || begin >= end) throw new RangeError("it does not end after it begins");
    return parseDays(days).map((day) => ({ day, from: begin, to: end }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadHoursError(`"${rule}" cannot be read: ${why}`, { cause: error });
  }
}
