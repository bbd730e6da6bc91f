import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { openDatabase } from "../../../open-database.ts";
import type { Database } from "../../database/open.ts";
import { nodeFileSystem } from "../../../host/files/file-system.ts";
import { repositoryJournal } from "../../journal/repository.ts";
import { objectStore, type Objects } from "../../objects/store.ts";
import { createDoor, type DoorOptions, type FrontDoor } from "../door.ts";

export interface Bench extends Database {
  readonly folder: string;
  readonly objects: Objects;
  readonly door: FrontDoor;
  readonly clock: Clock & { time: number };
  /**
   * A second door in the same process. It shares the connection: a second connection would block this thread inside SQLite and deadlock.
   */
  readonly another: () => FrontDoor;
}

/** A real database, object store and door in a folder, with a scripted clock. */
export async function openBench(options: Partial<DoorOptions> & { folder?: string } = {}): Promise<Bench> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "slipway-door-"));
  const database = await openDatabase({ path: join(folder, "slipway.db") });
  const objects = objectStore(nodeFileSystem, join(folder, "objects"));
  const clock = { time: 1_000, now: () => clock.time, monotonic: () => clock.time };
  const another = () => createDoor({ db: database.db, clock, journal: repositoryJournal(objects), blobs: objects, ...options });
  return { ...database, folder, objects, clock, door: another(), another };
}
