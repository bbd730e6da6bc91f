import { restoreRunFiles } from "@slipway/kernel/record/run-files/run-files";
import type { Records } from "@slipway/kernel/record/storage";

/** Files of a run that were removed or edited are written again from the records, before the run goes on. */
export async function restoreFilesOfRun(records: Records, runId: string): Promise<void> {
  // What cannot be written now is reported by the step that writes it next.
  await restoreRunFiles(records, runId).catch(() => []);
}
