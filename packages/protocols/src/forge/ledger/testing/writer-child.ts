/** One of several processes that write to a ledger at the same time. */
import { systemClock } from "@slipway/durable/environment";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { openDatabase } from "@slipway/kernel/open-database";
import { repositoryJournal } from "@slipway/kernel/record/journal/repository";
import { objectStore } from "@slipway/kernel/record/objects/store";
import { createDoor } from "@slipway/kernel/record/operations/door";
import { join } from "node:path";
import { openForgeLedger } from "../ledger.ts";
import { observationsOf } from "../observations.ts";

const [folder = "", run_id = "", name = "", count = "0"] = process.argv.slice(2);
const database = await openDatabase({ path: join(folder, "slipway.db") });
const objects = objectStore(nodeFileSystem, join(folder, "objects"));
const door = createDoor({ db: database.db, clock: systemClock, journal: repositoryJournal(objects), blobs: objects });
const ledger = openForgeLedger({ db: database.db, door: door.relaxed, observations: observationsOf }, "sqlite");
for (let number = 0; number < Number(count); number++) {
  const call = { actor: { type: "system", id: name } as const, operationId: `${name}-${number}` };
  const marker = { run_id, task_id: name, round: 1, marker: "baseline-discrepancy", explanation: `number ${number}` } as const;
  await ledger.recordMarker(call, marker);
}
await database.close();
