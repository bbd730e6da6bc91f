import type { NotificationsPolicy } from "../config/notifications.ts";
import type { Selectable } from "kysely";
import { planReminder, type ReminderFacts } from "./schedule.ts";
import type { NotifyTables } from "./tables.ts";

export type NotificationRow = Selectable<NotifyTables["notifications"]>;

/** The content of `notification-state.json`. */
export interface NotificationState {
  readonly cron_expression: string | null;
  /** Whether reminders are sent. */
  readonly enabled: boolean;
  readonly last_sent?: string;
  readonly next_scheduled?: string;
  readonly failures: readonly NotificationFailure[];
}

export interface NotificationFailure {
  readonly event: string;
  readonly channel: string;
  readonly at: string;
  readonly reason: string;
}

export function notificationState(
  { enabled, reminder_schedule: expression }: Pick<NotificationsPolicy, "enabled" | "reminder_schedule">,
  timeZone: string,
  facts: ReminderFacts,
  rows: readonly NotificationRow[],
): NotificationState {
  const reminds = enabled && expression !== undefined;
  const next = reminds ? planReminder({ expression, timeZone }, facts).next : null;
  return {
    cron_expression: expression ?? null,
    enabled: reminds,
    ...(facts.lastSent === null ? {} : { last_sent: new Date(facts.lastSent).toISOString() }),
    ...(next === null ? {} : { next_scheduled: new Date(next).toISOString() }),
    failures: rows
      .filter(({ status }) => status === "failed")
      .map(({ event, channel, at, reason }) => ({ event, channel, at: new Date(at).toISOString(), reason: reason ?? "" })),
  };
}
