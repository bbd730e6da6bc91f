/** A child process of the lock tests. Under the lock it reads a number, waits, and writes the number plus one. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock, systemIds } from "@slipway/durable/environment";
import { openDatabase } from "../../../../open-database.ts";
import { acquireWithin, lostLocks, releaseWithin } from "../store.ts";
import { whileLocked } from "../wait.ts";

const [path = "", holder = "", times = "0", dawdleMs = "0", ttlMs = "10000"] = process.argv.slice(2);
const { db, close } = await openDatabase({ path });
const waiting = {
  clock: systemClock,
  sleep: (ms: number) => sleep(ms),
  random: Math.random,
  backoff: { initial_seconds: 0.005, factor: 1.5, max_seconds: 0.05, jitter: 0.5 },
  timeoutMs: 20_000,
};
const request = { resources: ["counter"], holder, ttlMs: Number(ttlMs), allowed: ["counter"], leaseId: () => systemIds.next("lease") };

for (let turn = 0; turn < Number(times); turn++) {
  const { leases } = await whileLocked(waiting, () => db.transaction().execute((tx) => acquireWithin(tx, request, systemClock.now())));
  const lease = leases[0]!;
  const { value } = await db.selectFrom("signals").select("value").where("name", "=", "counter").executeTakeFirstOrThrow();
  process.stdout.write("holding\n");
  await sleep(Number(dawdleMs));
  const written = await db.transaction().execute(async (tx) => {
    if ((await lostLocks(tx, holder, ["counter"], systemClock.now())).length > 0) return "lock_not_held";
    await tx
      .updateTable("signals")
      .set({ value: String(Number(value) + 1) })
      .where("name", "=", "counter")
      .execute();
    return "written";
  });
  process.stdout.write(`${written}\n`);
  if (written === "written") await db.transaction().execute((tx) => releaseWithin(tx, lease));
}
await close();
