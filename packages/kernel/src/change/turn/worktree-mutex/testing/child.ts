/** A child process of the hold tests. It prints when it has the hold, and releases it on input. */
import { once } from "node:events";
import { systemClock } from "@slipway/durable/environment";
import { openDatabase } from "../../../../open-database.ts";
import { openHolds } from "../holds.ts";

const [path = "", featureId = ""] = process.argv.slice(2);
const { db, close } = await openDatabase({ path });
await openHolds({ db, clock: systemClock })({ featureId, operation: "child" }, async () => {
  process.stdout.write("holding\n");
  await once(process.stdin, "data");
});
process.stdout.write("released\n");
process.stdin.destroy();
await close();
