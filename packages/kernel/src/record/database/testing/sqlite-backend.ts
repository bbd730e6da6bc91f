import { openSqlite } from "@slipway/durable/sqlite";
import { kyselyOn } from "../dialect.ts";
import type { SuiteDatabase, SuiteTables } from "./suite.ts";

export async function open(location: string): Promise<SuiteDatabase> {
  const sqlite = openSqlite(location);
  return { db: kyselyOn<SuiteTables>(sqlite), close: () => sqlite.close() };
}
