import { existsSync } from "node:fs";
import { examineDatabase, type DatabaseState } from "@slipway/kernel/examine-database";
import { layoutOf } from "@slipway/kernel/host/layout";
import { formerPlaces } from "@slipway/kernel/record/relocation/former";
import { placesOf } from "@slipway/protocols/surface/caller";
import { note, ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";

/** Verifying reads every event; more would take too long for a quick check. */
const QUICK_EVENTS = 20_000;

export async function checkDatabase({ repository, io }: DoctorSubject): Promise<DoctorFinding[]> {
  const layout = layoutOf(repository);
  const { database } = layout;
  const { database: former } = formerPlaces(layout);
  if (!existsSync(database) && existsSync(former))
    return [note(`${former} was written by an older Slipway; the next command moves it to ${database}.`)];
  if (!existsSync(database)) return [ok("There is none yet; the first run creates it.")];
  const state = await examineDatabase(database, placesOf(io).stateHome, QUICK_EVENTS);
  const { version, newest } = state;
  const schema =
    version === newest
      ? ok(`${database} opens and has the current schema.`)
      : note(`${database} has schema version ${version} of ${newest}; the next run brings it up to date.`);
  return [schema, checkJournal(state)];
}

function checkJournal({ events, verdicts }: DatabaseState): DoctorFinding {
  if (events === null) return note("The journal was not checked: the database has none yet.");
  if (verdicts === null) return note(`The journal was not verified, because it has ${events} events.`, "slipway journal verify");
  const broken = [...verdicts].filter(([, verdict]) => !verdict.ok).map(([stream]) => stream);
  if (broken.length === 0) return ok(`The journal is intact: ${events} events in ${verdicts.size} streams.`);
  return problem(
    `The journal is broken in ${broken.join(", ")}.`,
    "slipway journal verify (says where; then restore the database from a copy).",
  );
}
