import { sha256 } from "@slipway/durable/canonical";
import type { JournalEvent } from "@slipway/durable/chain";
import { z } from "zod";
import type { Db } from "../../record/database/tables.ts";
import { REPOSITORY_STREAM } from "../../record/journal/repository.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { Rooms } from "../feature/dependencies.ts";

export const REPAIR = "feature.repair";

const repairSchema = z.strictObject({ feature_id: z.string(), done: z.array(z.string()) });
export type Repair = z.infer<typeof repairSchema>;

/** It has been done already: this puts it on record, for whoever watches the run or reads its log. */
const repairOperation: Operation<Repair, undefined, null> = {
  name: REPAIR,
  roles: ["system"],
  input: repairSchema,
  commit: async () => null,
  event: (repair) => ({ ...repair }),
};

/** What was made again of a feature's worktree and branch before `step`, which may find something else when it is done again. */
export async function recordRepairs(
  { door }: Pick<Rooms, "door">,
  feature_id: string,
  step: string,
  done: readonly string[],
): Promise<void> {
  if (done.length === 0) return;
  const id = `${step}/repaired:${sha256(done.join("\n")).slice(0, 8)}`;
  await door.perform(repairOperation, { type: "system", id: "harness" }, id, { feature_id, done: [...done] });
}

/** Null for every other event. */
export function repairIn({ stream, kind, name, key, payload }: JournalEvent): (Repair & { readonly run: string }) | null {
  if (stream !== REPOSITORY_STREAM || kind !== "operation" || name !== REPAIR) return null;
  const told = z.object({ event: repairSchema }).safeParse(JSON.parse(payload));
  return told.success ? { ...told.data.event, run: key?.split("/")[0] ?? "" } : null;
}

/** Of a run and everything below it, after the event `seen` of the repository's stream. */
export async function repairsOf(db: Db, root: string, seen: number): Promise<JournalEvent[]> {
  return (
    db
      .selectFrom("events")
      .selectAll()
      .where("stream", "=", REPOSITORY_STREAM)
      // "0" is the character after "/": the keys between are the run's own.
      .where("key", ">=", `${root}/`)
      .where("key", "<", `${root}0`)
      .where("name", "=", REPAIR)
      .where("seq", ">", seen)
      .orderBy("seq")
      .execute()
  );
}

export async function repairBy(db: Db, operationId: string): Promise<JournalEvent | undefined> {
  return db.selectFrom("events").selectAll().where("stream", "=", REPOSITORY_STREAM).where("key", "=", operationId).executeTakeFirst();
}
