import { migrateFactory } from "../tables.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCodeIndex, type CodeIndex } from "../code-index/code-index.ts";
import { newEntry, type NewEntry } from "../code-index/entry.ts";
import { openDocuments, type Documents } from "@slipway/kernel/record/documents/documents";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import type { Records } from "@slipway/kernel/record/storage";
import { onTestFinished } from "vitest";

export interface FactoryRecords {
  readonly records: Records;
  readonly index: CodeIndex;
  readonly documents: Documents;
  /** `.slipway/state_store`. */
  readonly folder: string;
  /** A call with a new operation id. */
  readonly call: () => { readonly actor: { readonly type: "system"; readonly id: string }; readonly operationId: string };
  readonly ship: (...entries: readonly NewEntry[]) => Promise<void>;
}

/** Real records, index and documents in a folder of their own. */
export async function factoryRecords(): Promise<FactoryRecords> {
  const root = mkdtempSync(join(tmpdir(), "slipway-factory-"));
  const records = await openRecords({ layout: layoutAt(root) });
  await migrateFactory(records.database.db, records.database.sqlite.path);
  onTestFinished(async () => {
    await records.close();
    rmSync(root, { recursive: true, force: true });
  });
  const { db } = records.database;
  const folder = join(root, ".slipway", "state_store");
  const index = openCodeIndex({ db, door: records.door });
  const call = () => ({ actor: { type: "system", id: "test" } as const, operationId: records.ids.next("call") });
  return {
    records,
    index,
    documents: openDocuments({ db, door: records.door, fs: nodeFileSystem, folder }),
    folder,
    call,
    async ship(...entries) {
      for (const entry of entries) await index.append(call(), entry);
    },
  };
}

export function shippedEntry(name: string, fields: Partial<NewEntry> = {}): NewEntry {
  const version = fields.version ?? "1.0.0";
  return newEntry.parse({
    module_id: `MM-${name}`,
    version,
    name,
    purpose: `Does what ${name} says.`,
    tags: [],
    contract_ref: `modules/MM-${name}/${version}/contract.json`,
    examples_ref: `modules/MM-${name}/${version}/examples.md`,
    ship_ref: "SHIP-0a1b2c3d",
    io_summary: { inputs: ["text: string"], outputs: ["value: number"], error_surfaces: [], effects: [], modes: ["sync"] },
    dependencies: [],
    ...fields,
  });
}
