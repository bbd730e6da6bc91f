import { transactionOn } from "../../database/dialect.ts";
import type { Db, Tx } from "../../database/tables.ts";
import { repositoryJournal } from "../../journal/repository.ts";
import { appendFacts } from "../append.ts";
import { collectFacts } from "../collect.ts";

let number = 0;
const noObject = () => Promise.reject(new Error("no objects here"));
const journal = repositoryJournal({ put: noObject, get: noObject });

/** Writes rows as an operation does: in one transaction with the event that binds them. */
export function recorded<T>(db: Db, write: (tx: Tx) => Promise<T>): Promise<T> {
  return transactionOn(db, async (tx) => {
    const { output, facts } = await collectFacts(tx, () => write(tx));
    if (facts !== null) await appendFacts(journal, tx, { name: "test", key: `test ${(number += 1)}`, at: 1 }, facts);
    return output;
  });
}
