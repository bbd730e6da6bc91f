import { Cron } from "croner";
import { z } from "zod";

export const NOTIFICATION_EVENTS = ["block", "complete", "error", "phase_change"] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

const NAMES = /\b(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)\b/gi;

/** Why it is not a cron expression of five fields; null if it is one. Extensions such as `@daily`, `L` and `#` are refused. */
export function cronProblem(expression: string): string | null {
  const fields = expression.split(" ");
  if (fields.length !== 5) return `has ${fields.length} fields; expected 5: minute hour day month weekday`;
  if (fields.some((field) => !/^[0-9*,/-]+$/.test(field.replaceAll(NAMES, "0"))))
    return "may contain only numbers, names of months and weekdays, `*`, `,`, `-` and `/`";
  try {
    // Any date will do: an expression either occurs within some years or never.
    return cron(expression, "UTC").nextRun(new Date(0)) === null ? "names a day that never occurs" : null;
  } catch {
    return "is not a valid cron expression (`minute hour day month weekday`)";
  }
}

/** Only computes: it is paused, so it never starts a timer. */
export function cron(expression: string, timeZone: string): Cron {
  return new Cron(expression, { mode: "5-part", timezone: timeZone, paused: true });
}

/** `env:NAME`: the endpoint is the value of a variable, because the address of a webhook is often a secret. */
export function endpointVariable(endpoint: string): string | null {
  return /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(endpoint)?.[1] ?? null;
}

/** Why nothing may be sent there; null if the form is right. Never contains the address, which may be a secret. */
export function endpointProblem(endpoint: string, allowLoopback: boolean): string | null {
  const url = URL.parse(endpoint);
  if (url === null) return "is not a URL";
  if (url.username !== "" || url.password !== "") return "contains a user or a password; use `env:NAME` instead";
  const loopback = isLoopbackName(url.hostname);
  if (loopback && !allowLoopback) return "is on this machine; set `allow_loopback: true` to allow that";
  if (url.protocol === "https:" || (url.protocol === "http:" && loopback)) return null;
  return "must begin with https://";
}

export function isLoopbackName(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === "[::1]";
}

const channel = z.strictObject({
  type: z.literal("webhook"),
  endpoint: z.string().min(1).max(2_000),
  enabled: z.boolean().default(true),
  events: z.array(z.enum(NOTIFICATION_EVENTS)).min(1),
});

export type NotificationChannel = z.output<typeof channel>;

/** Where people are told that a run waits for them or has ended: once for all protocols. */
export const notificationsPolicy = z
  .strictObject({
    enabled: z.boolean().default(true),
    /** Five fields: minute hour day month weekday. */
    reminder_schedule: z.string().optional(),
    /** An IANA name; without one, the machine's. */
    time_zone: z.string().optional(),
    allow_loopback: z.boolean().default(false),
    channels: z.array(channel).max(20).default([]),
  })
  .superRefine(({ reminder_schedule, time_zone, allow_loopback, channels }, context) => {
    const wrong = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
    const problem = reminder_schedule === undefined ? null : cronProblem(reminder_schedule);
    if (problem !== null) wrong(["reminder_schedule"], `the schedule ${JSON.stringify(reminder_schedule?.slice(0, 80))} ${problem}`);
    if (time_zone !== undefined && !isTimeZone(time_zone))
      wrong(["time_zone"], `${JSON.stringify(time_zone.slice(0, 80))} is not a time zone such as Europe/Berlin`);
    for (const [index, { endpoint }] of channels.entries()) {
      const refused = endpointVariable(endpoint) === null ? endpointProblem(endpoint, allow_loopback) : null;
      if (refused !== null) wrong(["channels", index, "endpoint"], `the endpoint ${refused}`);
    }
  });

export type NotificationsPolicy = z.output<typeof notificationsPolicy>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
