import { existsSync } from "node:fs";
import { systemClock, systemIds, type Clock, type Ids } from "@slipway/durable/environment";
import { migrateDurable } from "@slipway/durable/tables";
import type { Migration } from "./database/migration.ts";
import { openDatabase, type Database } from "./database/open.ts";
import type { Tx } from "./database/tables.ts";
import { nodeFileSystem } from "../host/files/file-system.ts";
import { makePrivateFile, makePrivateFolder } from "../host/files/private-folder.ts";
import { repositoryJournal, type Journal } from "./journal/repository.ts";
import type { Layout } from "../host/layout.ts";
import { objectStore, type Objects } from "./objects/store.ts";
import { createDoor, type DoorEvent, type FrontDoor } from "./operations/door.ts";
import { answerOperation } from "./questions/answer.ts";
import { byHandRule } from "./questions/by-hand.ts";
import { openInbox, type AnswerRequest, type QuestionInbox } from "./questions/inbox.ts";
import { formerPlaces } from "./relocation/former.ts";

/** The record without git and protocols, for commands that only read or answer. */
export interface Records {
  readonly layout: Layout;
  readonly database: Database;
  readonly objects: Objects;
  readonly journal: Journal;
  readonly inbox: QuestionInbox;
  readonly door: FrontDoor;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Through the door, like every change of state. */
  answer(request: AnswerRequest): Promise<void>;
  close(): Promise<void>;
}

export interface RecordsOptions {
  readonly layout: Layout;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly observe?: (event: DoorEvent) => void;
  /** See `DoorOptions.fence`. */
  readonly fence?: (tx: Tx) => Promise<void>;
  readonly migrations: readonly Migration[];
}

export async function openStorage(options: RecordsOptions): Promise<Records> {
  const { layout, clock = systemClock, ids = systemIds, observe, fence, migrations } = options;
  makePrivateFolder(layout.state);
  makePrivateFolder(layout.truth);
  if (existsSync(formerPlaces(layout).database)) await (await import("./relocation/relocate.ts")).relocate(layout);
  makePrivateFile(layout.database);
  const database = await openDatabase({ path: layout.database, migrations });
  await migrateDurable(database.sqlite);
  const objects = objectStore(nodeFileSystem, layout.objects);
  const journal = repositoryJournal(objects);
  const door = createDoor({ db: database.db, clock, ids, journal, blobs: objects, ...(observe && { observe }), ...(fence && { fence }) });
  const rules = { manual: byHandRule(layout.root) };
  const inbox = openInbox({ db: database.db, clock, rules });
  return {
    layout,
    database,
    objects,
    journal,
    inbox,
    door,
    clock,
    ids,
    async answer({ id, value, by }) {
      await door.perform(answerOperation(rules), by, ids.next("answer"), { question_id: id, value });
    },
    close: () => database.close(),
  };
}
