const DAY_MS = 24 * 3_600_000;
const two = (number: number) => String(number).padStart(2, "0");

/** The time of day here, with the date when it is not soon. */
export function momentText(at: number, now = Date.now()): string {
  const moment = new Date(at);
  const time = `${two(moment.getHours())}:${two(moment.getMinutes())}`;
  return at - now < DAY_MS ? time : `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())} ${time}`;
}
