import { restoreKeptFiles } from "./change/work/kept-files.ts";
import type { Environment } from "./host/places.ts";
import type { Records } from "./record/storage.ts";
import { createRedactor } from "./host/redaction/redactor.ts";
import { secretsOf } from "./host/redaction/secrets.ts";
import { missingRunLogs, openRunLog } from "./budget/run-log/run-log.ts";

/**
 * Writes again what `git clean -fdx` takes of the files for people and what needs no configuration: specifications, logs, and the
 * `journal.jsonl` of ended runs. Safe beside a live run: nobody else writes these.
 */
export async function restoreFiles(records: Records, env: Environment, onWarning: (text: string) => void): Promise<void> {
  const { layout, objects, database } = records;
  await restoreKeptFiles({ layout, objects, db: database.db });
  const missing = await missingRunLogs(database.db, layout);
  if (missing.length === 0) return;
  const log = openRunLog({ records, redactor: createRedactor({ secrets: secretsOf(env) }), onWarning });
  for (const run of missing) log.note(run);
  await log.settle();
}
