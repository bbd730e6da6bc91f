import { z } from "zod";
import { NOTIFICATION_EVENTS } from "../config/notifications.ts";
import type { Db, Tx } from "../record/database/tables.ts";
import type { Operation } from "../record/operations/operation.ts";
import { planReminder } from "./schedule.ts";
import type { NotifyTables } from "./tables.ts";

const channels = z.array(z.strictObject({ index: z.int(), host: z.string() }));

const markInput = z.strictObject({
  event: z.enum(NOTIFICATION_EVENTS),
  subject: z.string().min(1),
  run_id: z.string().nullable(),
  channels,
});

/** The messages that this call, and no other, may send. */
export interface MarkedMessages {
  readonly messages: readonly { readonly id: string; readonly channel: number }[];
}

/** Records that a subject is being told, before it is. A subject that was told or is being told yields no messages. */
export const markOperation: Operation<z.output<typeof markInput>, undefined, MarkedMessages> = {
  name: "notification.mark",
  roles: ["system"],
  input: markInput,
  commit: (tx, input, _effect, { at, operationId }) => mark(tx, input, at, operationId),
  event: ({ event, subject }, { messages }) => ({ event, subject, messages: messages.length }),
};

async function mark(
  tx: Tx,
  { event, subject, run_id, channels: receivers }: z.output<typeof markInput>,
  at: number,
  operationId: string,
): Promise<MarkedMessages> {
  const told = await tx
    .selectFrom("notifications")
    .select("id")
    .where("event", "=", event)
    .where("subject", "=", subject)
    .executeTakeFirst();
  if (told !== undefined) return { messages: [] };
  const rows = receivers.map(({ index, host }): NotifyTables["notifications"] => ({
    id: `${operationId}/${index}`,
    event,
    subject,
    run_id,
    channel: host,
    status: "marked",
    reason: null,
    attempts: 0,
    at,
    ended_at: null,
  }));
  for (const row of rows) await tx.insertInto("notifications").values(row).execute();
  return { messages: rows.map(({ id }, position) => ({ id, channel: receivers[position]?.index ?? 0 })) };
}

const endInput = z.strictObject({
  id: z.string().min(1),
  status: z.enum(["sent", "failed"]),
  reason: z.string().nullable(),
  attempts: z.int().min(0),
});

export const endOperation: Operation<z.output<typeof endInput>, undefined, null> = {
  name: "notification.end",
  roles: ["system"],
  input: endInput,
  async commit(tx, { id, status, reason, attempts }, _effect, { at }) {
    await tx
      .updateTable("notifications")
      .set({ status, reason, attempts, ended_at: at })
      .where("id", "=", id)
      .where("status", "=", "marked")
      .execute();
    return null;
  },
  event: ({ id, status, reason }) => ({ id, status, reason }),
};

const remindInput = z.strictObject({ expression: z.string(), timeZone: z.string(), channels });

export interface DueReminder extends MarkedMessages {
  /** The question that has waited longest; null if no reminder is due any more. */
  readonly question: string | null;
}

/** Marks a reminder if one is still due: another process may have sent it, or the last question may have been answered. */
export const remindOperation: Operation<z.output<typeof remindInput>, undefined, DueReminder> = {
  name: "notification.remind",
  roles: ["system"],
  input: remindInput,
  async commit(tx, { channels: receivers, ...schedule }, _effect, { at, operationId }) {
    const { oldest, lastSent } = await reminderFacts(tx);
    const { due } = planReminder(schedule, { blockedSince: oldest?.asked_at ?? null, lastSent, now: at });
    if (!due || oldest === null) return { question: null, messages: [] };
    await tx
      .insertInto("notification_reminders")
      .values({ id: REMINDER, last_sent: at })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ last_sent: at }))
      .execute();
    const subject = `reminder ${new Date(at).toISOString()} ${oldest.id}`;
    const input = { event: "block" as const, subject, run_id: oldest.run_id, channels: receivers };
    return { question: oldest.id, ...(await mark(tx, input, at, operationId)) };
  },
  event: (_input, { question, messages }) => ({ question, messages: messages.length }),
};

const REMINDER = "reminder";

export async function reminderFacts(db: Db | Tx) {
  const open = db.selectFrom("questions").select(["id", "run_id", "asked_at"]).where("status", "=", "open");
  const oldest = (await open.orderBy("asked_at").orderBy("id").limit(1).executeTakeFirst()) ?? null;
  const row = await db.selectFrom("notification_reminders").select("last_sent").where("id", "=", REMINDER).executeTakeFirst();
  return { oldest, lastSent: row?.last_sent ?? null };
}
