import type { NotificationEvent } from "../config/notifications.ts";
import type { Tx } from "../record/database/tables.ts";

/** `marked` before it is sent: if the process ends then, it is not sent again. */
export type NotificationStatus = "marked" | "sent" | "failed";

export interface NotifyTables {
  notifications: {
    id: string;
    event: NotificationEvent;
    /** The question, the run or the reminder. Each is told once. */
    subject: string;
    run_id: string | null;
    /** The receiver's host; never the whole endpoint, which may be a secret. */
    channel: string;
    status: NotificationStatus;
    reason: string | null;
    attempts: number;
    at: number;
    ended_at: number | null;
  };
  notification_reminders: { id: string; last_sent: number };
}

export async function createNotifications(tx: Tx): Promise<void> {
  await tx.schema
    .createTable("notifications")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("event", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("run_id", "text")
    .addColumn("channel", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
  await tx.schema.createIndex("notifications_by_subject").on("notifications").columns(["event", "subject"]).execute();
  await tx.schema.createIndex("notifications_by_status").on("notifications").columns(["status", "at"]).execute();
  await tx.schema
    .createTable("notification_reminders")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("last_sent", "bigint", (column) => column.notNull())
    .execute();
}
