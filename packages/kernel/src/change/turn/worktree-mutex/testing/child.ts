/** A child process of the tests of holds: says when it holds, lets go when told to, or never. */
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
