import type { Sqlite } from "@slipway/durable/sqlite";
import * as heads from "@slipway/kernel/journal/heads";
import type { KeptHeads } from "@slipway/kernel/journal/kept-heads";
import type { Records } from "@slipway/kernel/records";
import type { Io } from "./io.ts";
import { placesOf } from "./places.ts";

export function keptHeadsFor(io: Io, sqlite: Sqlite): Promise<KeptHeads | null> {
  return heads.keptHeadsFor(placesOf(io).stateHome, sqlite);
}

export function assertNotRolledBack(io: Io, records: Records): Promise<void> {
  return heads.assertNotRolledBack(placesOf(io).stateHome, records);
}

export function keepHeads(io: Io, records: Records): Promise<void> {
  return heads.keepHeads(placesOf(io).stateHome, records);
}
