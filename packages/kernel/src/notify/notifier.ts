import { join } from "node:path";
import type { Clock, Ids } from "@slipway/durable/environment";
import type { OpenQuestion } from "@slipway/durable/inbox";
import { endpointVariable, type NotificationChannel, type NotificationEvent, type NotificationsPolicy } from "../config/notifications.ts";
import { nodeFileSystem } from "../host/files/file-system.ts";
import { projectedFiles } from "../host/files/projection-writer.ts";
import type { Db } from "../record/database/tables.ts";
import type { Door } from "../record/operations/door.ts";
import type { QuestionInbox } from "../record/questions/inbox.ts";
import { endOperation, markOperation, remindOperation, reminderFacts, type MarkedMessages } from "./operations.ts";
import { blockingRecord, notificationPayload, type Notice } from "./payload.ts";
import { planReminder, type ReminderSchedule } from "./schedule.ts";
import { send, type SendParts } from "./send.ts";
import { notificationState, type NotificationState } from "./state.ts";

/** Tells people about runs. No call waits for a receiver, and none fails because of one: outcomes are rows. */
export interface Notifier {
  /** A run waits for a person. Told once for each question, also across processes. Resolves when that is recorded. */
  block(question: Omit<OpenQuestion, "runId"> & { readonly runId: string | null }): Promise<void>;
  /** Told once for each event and subject, such as the run's id or the run's phase. */
  tell(subject: string, notice: Notice): Promise<void>;
  /** Sends the reminder that is due, if any. */
  remind(): Promise<void>;
  /** Whether the block of this question was told, or is being told. */
  wasTold(question: string): Promise<boolean>;
  state(): Promise<NotificationState>;
  /** Waits for messages on their way, and gives up those that take too long. */
  settle(): Promise<void>;
}

export interface NotifierOptions extends Pick<SendParts, "resolve" | "sleep" | "timeoutMs"> {
  readonly config: NotificationsPolicy | undefined;
  readonly db: Db;
  readonly door: Door;
  readonly inbox: Pick<QuestionInbox, "find">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `.slipway`. */
  readonly folder: string;
  /** Removes secrets of this machine from what is sent. */
  readonly conceal?: <T>(value: T) => T;
  /** How long `settle` waits. */
  readonly graceMs?: number;
}

const ACTOR = { type: "system", id: "notify" } as const;
const OFF: NotificationsPolicy = { enabled: false, allow_loopback: false, channels: [] };
const GRACE_MS = 5_000;
const LISTED_FAILURES = 20;

export function openNotifier(options: NotifierOptions): Notifier {
  const { config = OFF, db, door, clock, ids, env, conceal = (value) => value, graceMs = GRACE_MS } = options;
  const files = projectedFiles(nodeFileSystem);
  const stop = new AbortController();
  const underWay = new Set<Promise<void>>();
  const timeZone = config.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const schedule: ReminderSchedule | null =
    config.enabled && config.reminder_schedule !== undefined ? { expression: config.reminder_schedule, timeZone } : null;

  const receivers = (event: NotificationEvent) =>
    config.channels
      .map((channel, index) => ({ index, channel }))
      .filter(({ channel }) => config.enabled && channel.enabled && channel.events.includes(event))
      .map(({ index, channel }) => ({ index, host: hostOf(endpointOf(channel)) }));

  function endpointOf({ endpoint }: NotificationChannel): string | undefined {
    const name = endpointVariable(endpoint);
    return name === null ? endpoint : env[name];
  }

  async function deliver(id: string, channel: NotificationChannel | undefined, body: string): Promise<void> {
    const endpoint = channel === undefined ? undefined : endpointOf(channel);
    const result =
      endpoint === undefined || endpoint === ""
        ? { ok: false as const, attempts: 0, reason: "the variable of its endpoint is not set" }
        : await send({ ...options, allowLoopback: config.allow_loopback }, { id, endpoint, body }, stop.signal);
    const [status, reason] = result.ok ? (["sent", null] as const) : (["failed", result.reason] as const);
    await door.perform(endOperation, ACTOR, `${id}/end`, { id, status, reason, attempts: result.attempts });
    await writeState();
  }

  function start({ messages }: MarkedMessages, notice: Notice): void {
    const body = JSON.stringify(conceal(notificationPayload(notice, clock.now())));
    for (const { id, channel } of messages) {
      // A failure here is one of the database; the row then stays marked.
      const work: Promise<void> = deliver(id, config.channels[channel], body)
        .catch(() => undefined)
        .finally(() => underWay.delete(work));
      underWay.add(work);
    }
  }

  async function tell(subject: string, notice: Notice): Promise<void> {
    const to = receivers(notice.event);
    if (to.length === 0) return;
    const input = { event: notice.event, subject, run_id: notice.state.run_id, channels: to };
    start(await door.perform(markOperation, ACTOR, ids.next("notify"), input), notice);
  }

  async function factsNow() {
    const { oldest, lastSent } = await reminderFacts(db);
    return { blockedSince: oldest?.asked_at ?? null, lastSent, now: clock.now() };
  }

  async function state(): Promise<NotificationState> {
    const failed = db.selectFrom("notifications").selectAll().where("status", "=", "failed");
    const rows = await failed.orderBy("at", "desc").limit(LISTED_FAILURES).execute();
    return notificationState(config, timeZone, await factsNow(), rows.toReversed());
  }

  const write = async () => files.write(join(options.folder, "notification-state.json"), `${JSON.stringify(await state(), null, 2)}\n`);
  /** One at a time, so that the file ends with the newest state. */
  let writing: Promise<unknown> = Promise.resolve();
  const writeState = () => (writing = writing.then(write, write));

  return {
    state,
    tell: (subject, notice) => tell(subject, notice).catch(() => undefined),
    async block(question) {
      const record = blockingRecord({ ...question, status: "open", answer: null, answeredBy: null, answeredAt: null });
      const state = { type: "blocked" as const, run_id: question.runId, reason: question.kind, awaiting: record.id };
      await tell(question.id, { event: "block", state, record }).catch(() => undefined);
    },
    async remind() {
      if (schedule === null || !planReminder(schedule, await factsNow()).due) return;
      const input = { ...schedule, channels: receivers("block") };
      const { question: id, messages } = await door.perform(remindOperation, ACTOR, ids.next("remind"), input);
      if (id === null) return;
      const question = await options.inbox.find(id);
      const state = { type: "blocked" as const, run_id: question.runId, reason: question.kind, awaiting: id, reminder: true };
      start({ messages }, { event: "block", state, record: blockingRecord(question) });
      await writeState();
    },
    async wasTold(question) {
      const rows = db.selectFrom("notifications").select("id").where("event", "=", "block").where("subject", "=", question);
      return (await rows.executeTakeFirst()) !== undefined;
    },
    async settle() {
      if (underWay.size === 0) return;
      const tooLong = setTimeout(() => stop.abort(), graceMs);
      while (underWay.size > 0) await Promise.all(underWay);
      clearTimeout(tooLong);
    },
  };
}

function hostOf(endpoint: string | undefined): string {
  return URL.parse(endpoint ?? "")?.host ?? "an endpoint without a URL";
}
