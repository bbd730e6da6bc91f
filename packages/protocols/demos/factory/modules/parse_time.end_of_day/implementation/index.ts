export class BadTimeError extends Error {
  override name = "BadTimeError";
}

const DAY = 24 * 60;

export function parseTime(text: string, endOfDay?: boolean): number {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  const latest = endOfDay === true ? DAY : DAY - 1;
  if (Number.isNaN(total) || total > latest || Number(minutes) > 59) {
    throw new BadTimeError(`"${text}" is no time of day such as 09:30`);
  }
  return total;
}
