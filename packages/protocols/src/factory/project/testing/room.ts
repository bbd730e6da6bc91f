import { migrateFactory } from "../../tables.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openProjects } from "../../projects/projects.ts";
import { openRecords } from "@slipway/kernel/open-records";
import type { Records } from "@slipway/kernel/record/storage";
import { onTestFinished } from "vitest";
import type { ProjectRecords } from "../project.ts";

export const SYSTEM = { type: "system", id: "test" } as const;

export interface TestProject extends ProjectRecords {
  readonly records: Records;
  readonly clock: Clock & { time: number };
  /** A call with a new operation id. */
  call(): { readonly actor: typeof SYSTEM; readonly operationId: string };
  /** Opens the same records as another process would. */
  another(): Promise<TestProject>;
}

/** Real records in a folder of their own; only the clock is scripted. */
export async function testRoom(root = mkdtempSync(join(tmpdir(), "slipway-project-"))): Promise<TestProject> {
  const clock = { time: Date.UTC(2026, 0, 2, 3, 4, 5), now: () => clock.time, monotonic: () => clock.time };
  const records = await openRecords({ layout: layoutAt(root), clock });
  await migrateFactory(records.database.db, records.database.sqlite.path);
  onTestFinished(async () => {
    await records.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    records,
    clock,
    projects: openProjects({ db: records.database.db, door: records.door }),
    stateStore: records.layout.stateStore,
    call: () => ({ actor: SYSTEM, operationId: records.ids.next("call") }),
    another: () => testRoom(root),
  };
}
