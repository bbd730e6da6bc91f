import { DatabaseSync } from "node:sqlite";
import { layoutAt } from "@slipway/kernel/host/layout";

/** Rows of the records of a demo's repository. */
export function demoRows(folder: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(layoutAt(folder).database, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
