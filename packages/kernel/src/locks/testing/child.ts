/** A child process of the lock tests: under the lock, reads a number, dawdles, and writes it back one higher. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock, systemIds } from "@slipway/durable/environment";
import { openDatabase } from "../../database/open.ts";
import { openLocks } from "../locks.ts";
import { assertHeld } from "../store.ts";

const [path = "", holder = "", times = "0", dawdleMs = "0", ttlMs = "10000"] = process.argv.slice(2);
const { db, close } = await openDatabase({ path });
const locks = openLocks({
  db,
  clock: systemClock,
  ids: systemIds,
  sleep: (ms) => sleep(ms),
  random: Math.random,
  resources: ["counter"],
  ttlMs: Number(ttlMs),
  backoff: { firstMs: 5, factor: 1.5, maxMs: 50 },
});

for (let turn = 0; turn < Number(times); turn++) {
  const { leases } = await locks.acquire({ resources: ["counter"], holder, waitMs: 20_000 });
  const lease = leases[0]!;
  const { value } = await db.selectFrom("signals").select("value").where("name", "=", "counter").executeTakeFirstOrThrow();
  process.stdout.write("holding\n");
  await sleep(Number(dawdleMs));
  const written = await db
    .transaction()
    .execute(async (tx) => {
      await assertHeld(tx, lease, systemClock.now());
      await tx
        .updateTable("signals")
        .set({ value: String(Number(value) + 1) })
        .where("name", "=", "counter")
        .execute();
      return "written";
    })
    .catch((error: { code: string }) => error.code);
  process.stdout.write(`${written}\n`);
  if (written === "written") await locks.release(lease);
}
await close();
