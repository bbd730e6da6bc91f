import { DatabaseSync } from "node:sqlite";
import { layoutAt } from "@slipway/kernel/host/layout";

export function query(folder: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(layoutAt(folder).database);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
