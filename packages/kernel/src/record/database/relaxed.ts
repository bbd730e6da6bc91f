import { transactionOn } from "./dialect.ts";
import type { Db, Tx } from "./tables.ts";

/** See `TransactionOptions.unhurried`. */
export function unhurriedTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transactionOn(db, work, { unhurried: true });
}
