import { existsSync } from "node:fs";
import { openSqlite, type Sqlite } from "@slipway/durable/sqlite";
import { MIGRATIONS } from "@slipway/kernel/migrations";
import { checkedVersion } from "@slipway/kernel/record/database/version";
import { verifyAll } from "@slipway/kernel/record/journal/verify";
import { layoutOf } from "@slipway/kernel/host/layout";
import { formerPlaces } from "@slipway/kernel/record/relocation/former";
import type { Io } from "@slipway/protocols/surface/io";
import { placesOf } from "@slipway/protocols/surface/caller";
import { keptHeadsFor } from "@slipway/kernel/record/journal/heads";
import { note, ok, problem, type Finding, type Patient } from "./check.ts";

/** Verifying reads every event; more than this takes longer than a person waits for a check. */
const QUICK_EVENTS = 20_000;

export async function checkDatabase({ repository, io }: Patient): Promise<Finding[]> {
  const layout = layoutOf(repository);
  const { database } = layout;
  const { database: former } = formerPlaces(layout);
  if (!existsSync(database) && existsSync(former))
    return [note(`${former} is an older Slipway's; the next command moves it to ${database}.`)];
  if (!existsSync(database)) return [ok("There is none yet; the first run makes it.")];
  const sqlite = openSqlite(database, { readOnly: true });
  try {
    const version = await checkedVersion(sqlite, MIGRATIONS);
    const schema =
      version === MIGRATIONS.length
        ? ok(`${database} opens and has the current schema.`)
        : note(`${database} has schema version ${version} of ${MIGRATIONS.length}; the next run brings it up to date.`);
    return [schema, await checkJournal(sqlite, io)];
  } finally {
    await sqlite.close();
  }
}

async function checkJournal(sqlite: Sqlite, io: Io): Promise<Finding> {
  const count = await countEvents(sqlite);
  if (count === null) return note("The journal was not looked at: the database has none yet.");
  if (count > QUICK_EVENTS) return note(`The journal was not verified, because it has ${count} events.`, "slipway journal verify");
  const keptHeads = await keptHeadsFor(placesOf(io).stateHome, sqlite);
  const verdicts = await verifyAll(sqlite, keptHeads === null ? {} : { keptHeads });
  const broken = [...verdicts].filter(([, verdict]) => !verdict.ok).map(([stream]) => stream);
  if (broken.length === 0) return ok(`The journal is whole: ${count} events in ${verdicts.size} streams.`);
  return problem(
    `The journal is broken in ${broken.join(", ")}.`,
    "slipway journal verify (says where; then put the database back from a copy).",
  );
}

async function countEvents(sqlite: Sqlite): Promise<number | null> {
  return sqlite.exclusive((database) => {
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'events'").get();
    return table === undefined ? null : Number(database.prepare("SELECT count(*) AS events FROM events").get()?.["events"]);
  });
}
