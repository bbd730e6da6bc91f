import type { Json } from "@slipway/durable/canonical";
import type { NotificationEvent } from "../config/notifications.ts";
import type { InboxQuestion } from "../record/questions/question.ts";

/** What a run waits for, as a webhook receives it. */
export interface BlockingRecord {
  readonly id: string;
  readonly phase: string;
  readonly query: string;
  readonly options?: readonly string[];
  readonly blockedAt: string;
  /** For information: that it has passed resolves nothing. */
  readonly timeoutMs?: number;
  readonly resolved: boolean;
  readonly resolution?: Json;
}

/** The state of the run; a protocol may add fields of its own. */
export interface ProtocolState {
  readonly type: "active" | "blocked" | "completed" | "failed";
  readonly run_id: string | null;
  readonly [field: string]: Json | undefined;
}

export interface NotificationPayload {
  readonly event: NotificationEvent;
  readonly timestamp: string;
  /** One line for a person; receivers such as chats show it. */
  readonly text: string;
  readonly protocol_state: ProtocolState;
  readonly blocking_record?: BlockingRecord;
}

export interface Notice {
  readonly event: NotificationEvent;
  readonly state: ProtocolState;
  readonly record?: BlockingRecord;
}

const LONGEST_QUERY = 2_000;
const LONGEST_OPTION = 200;
const MOST_OPTIONS = 50;

/** The title only: the body of a question may quote code. */
export function blockingRecord(question: Omit<InboxQuestion, "remindAt" | "reminded">): BlockingRecord {
  const { id, kind, title, options, context, askedAt, expiresAt, status, answer } = question;
  const phase = context["phase"];
  const resolved = status !== "open";
  return {
    id,
    phase: typeof phase === "string" ? phase : kind,
    query: title.slice(0, LONGEST_QUERY).toWellFormed(),
    ...(options.length === 0
      ? {}
      : { options: options.slice(0, MOST_OPTIONS).map(({ label }) => label.slice(0, LONGEST_OPTION).toWellFormed()) }),
    blockedAt: new Date(askedAt).toISOString(),
    ...(expiresAt === null ? {} : { timeoutMs: expiresAt - askedAt }),
    resolved,
    ...(resolved ? { resolution: answer } : {}),
  };
}

export function notificationPayload({ event, state, record }: Notice, now: number): NotificationPayload {
  return {
    event,
    timestamp: new Date(now).toISOString(),
    text: TEXTS[event](state.run_id === null ? "a run" : `run ${state.run_id.replaceAll(/\s+/g, " ")}`),
    protocol_state: state,
    ...((event === "block" || event === "error") && record !== undefined ? { blocking_record: record } : {}),
  };
}

const TEXTS: Readonly<Record<NotificationEvent, (run: string) => string>> = {
  block: (run) => `Slipway: ${run} is blocked. Run \`slipway status\` for details.`,
  complete: (run) => `Slipway: ${run} is complete. Run \`slipway status\` for details.`,
  error: (run) => `Slipway: ${run} has failed. Run \`slipway status\` for details.`,
  phase_change: (run) => `Slipway: ${run} is in its next phase. Run \`slipway status\` for details.`,
};
