import { existsSync } from "node:fs";
import { join } from "node:path";
import { decodePayload } from "@slipway/durable/payload";
import { isFinished } from "@slipway/durable/status";
import type { Reader } from "../../surface/surface.ts";
import { stepsOf } from "../commands/run-record.ts";
import { STATE_FILE } from "../machine/state-file.ts";
import { restoreKeptFiles } from "./kept-files.ts";

/** The step at the end of a run that stores its files. */
export const KEEP_STEP = "files";

/**
 * Writes the files of an ended run again if they were removed. One name is checked; if it exists, nothing else is read. A run that has
 * not ended writes its own. Returns how many were written.
 */
export async function restoreEndedRun({ records, engine }: Reader, runId: string): Promise<number> {
  const folder = records.layout.run(runId);
  if (existsSync(join(folder, STATE_FILE))) return 0;
  const info = await engine.run(runId);
  if (info === undefined || !isFinished(info.status)) return 0;
  for await (const event of stepsOf(engine, runId)) {
    if (event.name !== KEEP_STEP) continue;
    const { value } = (await decodePayload(records.objects, event)) as { readonly value: string };
    return restoreKeptFiles(records.objects, folder, value, STATE_FILE);
  }
  return 0;
}
