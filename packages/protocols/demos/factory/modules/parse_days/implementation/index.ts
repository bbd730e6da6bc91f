export class BadDayError extends Error {
  override name = "BadDayError";
}

const NAMES = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];

export function parseDays(text: string): number[] {
  const [first = "", last = first, ...more] = text.split("-");
  const [from, to] = [NAMES.indexOf(first), NAMES.indexOf(last)];
  if (from < 0 || to < 0 || more.length > 0) throw new BadDayError(`"${text}" is no day such as Mo and no range such as Mo-Fr`);
  const count = ((to - from + NAMES.length) % NAMES.length) + 1;
  return Array.from({ length: count }, (_, index) => (from + index) % NAMES.length);
}
