/** A child process of the budget tests: makes one call after the other until the budget is used up. With "hang" it stops in a call. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock, systemIds } from "@slipway/durable/environment";
import { openBench } from "../../record/operations/testing/door.ts";
import { openBudget } from "../budget.ts";
import { SYSTEM, taken, wish } from "./budget-bench.ts";

const [folder = "", name = "", behaviour = ""] = process.argv.slice(2);
const { db, objects, door, close } = await openBench({ folder });
const config = { run: { max_cost_usd: 2 }, roles: {} };
const budget = openBudget({ db, objects, door, clock: systemClock, ids: systemIds, config });

for (let made = 0; ; made++) {
  const reservation = await budget.reserve(SYSTEM, wish({ invocation: `${name} ${made}`, cost_usd: 0.1 })).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "budget_exceeded") return null;
    throw error;
  });
  if (reservation === null) break;
  process.stdout.write("reserved\n");
  if (behaviour === "hang") await sleep(60_000);
  await budget.settle(SYSTEM, taken(reservation.id, { cost_usd: 0.07 }));
}
await close();
