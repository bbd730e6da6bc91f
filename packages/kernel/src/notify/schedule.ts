import { cron } from "../config/notifications.ts";

export interface ReminderSchedule {
  readonly expression: string;
  readonly timeZone: string;
}

/** The first time of the schedule after `after`. Local times that a change of clocks skips or repeats occur once. */
export function nextReminder({ expression, timeZone }: ReminderSchedule, after: number): number {
  const next = cron(expression, timeZone).nextRun(new Date(after));
  // The configuration refuses a schedule without any time.
  return next?.getTime() ?? Number.POSITIVE_INFINITY;
}

export interface ReminderFacts {
  /** When the oldest open question was asked; null if nothing is blocked. */
  readonly blockedSince: number | null;
  readonly lastSent: number | null;
  readonly now: number;
}

export interface ReminderPlan {
  readonly due: boolean;
  /** Null while nothing is blocked. */
  readonly next: number | null;
}

/** Due if a time of the schedule has passed since the block began and since the last reminder. Several missed times are one reminder. */
export function planReminder(schedule: ReminderSchedule, { blockedSince, lastSent, now }: ReminderFacts): ReminderPlan {
  if (blockedSince === null) return { due: false, next: null };
  const first = nextReminder(schedule, Math.max(blockedSince, lastSent ?? 0));
  return first <= now ? { due: true, next: nextReminder(schedule, now) } : { due: false, next: first };
}
