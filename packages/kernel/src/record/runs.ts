import { findRun, runInfo, type RunInfo } from "@slipway/durable/runs";
import type { Records } from "./storage.ts";

/** For callers that read a run without an engine. */
export async function recordedRun({ database: { sqlite } }: Pick<Records, "database">, runId: string): Promise<RunInfo | null> {
  const row = await findRun(sqlite, runId);
  return row === undefined ? null : runInfo(row);
}
