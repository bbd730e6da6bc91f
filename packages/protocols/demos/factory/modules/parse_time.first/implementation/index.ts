export class BadTimeError extends Error {
  override name = "BadTimeError";
}

export function parseTime(text: string): number {
  const [, hours, minutes] = /^(\d+):(\d+)$/.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  if (Number.isNaN(total) || Number(hours) > 23 || Number(minutes) > 59) {
    throw new BadTimeError(`"${text}" is no time of day such as 09:30`);
  }
  return total;
}
