import { migrateProtocols } from "@slipway/protocols/all-protocols";
import { existsSync } from "node:fs";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { SlipwayError } from "./errors.ts";
import { findLayout } from "@slipway/kernel/open-board";
import type { Layout } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import type { Records } from "@slipway/kernel/record/storage";
import { formerPlaces } from "@slipway/kernel/record/relocation/former";
import { restoreFiles } from "@slipway/kernel/restore-files";
import type { Caller } from "@slipway/protocols/surface/caller";

/** For commands that read runs or answer questions: no configuration, no sandbox, no agents. */
export interface RunReader {
  readonly records: Records;
  readonly engine: Engine;
}

export async function withReader<T>(io: Caller, work: (reader: RunReader) => Promise<T>): Promise<T> {
  // Only a warning, so that reading works even if the projected files cannot be written.
  const warn = (text: string) => io.err(`warning: some files in .slipway could not be restored: ${text}\n`);
  const records = await openRecords({ layout: usedLayout(io) });
  try {
    await migrateProtocols(records.database);
    await restoreFiles(records, io.env, warn).catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)));
    const { database, objects, clock, ids, inbox } = records;
    const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [], kernel: null });
    return await work({ records, engine });
  } finally {
    await records.close();
  }
}

/** Commands that only read must not create a database. */
export function usedLayout(io: Caller): Layout {
  const layout = findLayout(io.cwd);
  // Opening moves the database of an older Slipway to its new location.
  if (existsSync(layout.database) || existsSync(formerPlaces(layout).database)) return layout;
  throw new SlipwayError("run_not_found", "Nothing has run in this repository yet.", {
    suggested_next_actions: ["Start with `slipway run SPEC.md`."],
  });
}
