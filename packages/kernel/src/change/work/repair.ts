import { sha256 } from "@slipway/durable/canonical";
import type { JournalEvent } from "@slipway/durable/chain";
import { z } from "zod";
import { REPOSITORY_STREAM } from "../../record/journal/repository.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { Records } from "../../record/storage.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

export const REPAIR = "feature.repair";

const repairSchema = z.strictObject({ feature_id: z.string(), done: z.array(z.string()) });
export type Repair = z.infer<typeof repairSchema>;

/** Records a repair that has already been done, for observers of the run and readers of its log. */
const repairOperation: Operation<Repair, undefined, null> = {
  name: REPAIR,
  roles: ["system"],
  input: repairSchema,
  commit: async () => null,
  event: (repair) => ({ ...repair }),
};

/** Records repairs of a feature's worktree and branch before `step`. A repeated step may find other repairs to do. */
export async function recordRepairs(
  { door }: Pick<FeatureDependencies, "door">,
  feature_id: string,
  step: string,
  done: readonly string[],
): Promise<void> {
  if (done.length === 0) return;
  const id = `${step}/repaired:${sha256(done.join("\n")).slice(0, 8)}`;
  await door.perform(repairOperation, { type: "system", id: "harness" }, id, { feature_id, done: [...done] });
}

/** Null for every other kind of event. */
export function repairIn({ stream, kind, name, key, payload }: JournalEvent): (Repair & { readonly run: string }) | null {
  if (stream !== REPOSITORY_STREAM || kind !== "operation" || name !== REPAIR) return null;
  const parsed = z.object({ event: repairSchema }).safeParse(JSON.parse(payload));
  return parsed.success ? { ...parsed.data.event, run: key?.split("/")[0] ?? "" } : null;
}

/** Of a run and everything below it, after the event `seen` of the repository's stream. */
export async function repairsOf({ database: { db } }: Pick<Records, "database">, root: string, seen: number): Promise<JournalEvent[]> {
  return (
    db
      .selectFrom("events")
      .selectAll()
      .where("stream", "=", REPOSITORY_STREAM)
      // "0" is the character after "/": the range covers the keys of the run.
      .where("key", ">=", `${root}/`)
      .where("key", "<", `${root}0`)
      .where("name", "=", REPAIR)
      .where("seq", ">", seen)
      .orderBy("seq")
      .execute()
  );
}

export async function repairBy({ database: { db } }: Pick<Records, "database">, operationId: string): Promise<JournalEvent | undefined> {
  return db.selectFrom("events").selectAll().where("stream", "=", REPOSITORY_STREAM).where("key", "=", operationId).executeTakeFirst();
}
