import type { Head } from "@slipway/durable/chain";
import type { Records } from "../storage.ts";
import { appendRunHead, REPOSITORY_STREAM, RUN_HEAD } from "./repository.ts";

/** Appends the last head of a finished run to the repository's stream, once. */
export async function recordRunHead({ database: { db }, journal, clock }: Records, runId: string, head: Head): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const known = await tx
      .selectFrom("events")
      .select("seq")
      .where("stream", "=", REPOSITORY_STREAM)
      .where("kind", "=", RUN_HEAD)
      .where("name", "=", runId)
      .executeTakeFirst();
    if (known === undefined) await appendRunHead(journal, tx, runId, head, clock.now());
  });
}
