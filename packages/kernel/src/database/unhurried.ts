import { sql } from "kysely";
import { inTurn } from "./dialect.ts";
import type { Db, Tx } from "./tables.ts";

/**
 * A transaction that does not wait for the disk: it is there at once for everybody, and on the disk with the next commit that waits.
 * A power cut may take it, and then everything that was written after it as well; a process that dies takes nothing.
 */
export function unhurriedTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`PRAGMA synchronous = NORMAL`.execute(connection);
    try {
      return await connection.transaction().execute(inTurn(db, work));
    } finally {
      await sql`PRAGMA synchronous = FULL`.execute(connection);
    }
  });
}
