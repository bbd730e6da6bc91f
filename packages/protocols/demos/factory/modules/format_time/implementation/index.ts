export class BadMinutesError extends Error {
  override name = "BadMinutesError";
}

export function formatTime(minutes: number): string {
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > 24 * 60) {
    throw new BadMinutesError(`${minutes} is no number of minutes from 0 to 1440`);
  }
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}
