/** The two tables and three indexes of forge's design, as they are in `slipway.db` and in the exported `verification-ledger.db`. */
export const LEDGER_TABLES = [
  `CREATE TABLE IF NOT EXISTS anvil_checks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('baseline', 'after', 'review')),
  check_name TEXT NOT NULL,
  tool TEXT NOT NULL,
  command TEXT,
  exit_code INTEGER,
  output_snippet TEXT CHECK (LENGTH(output_snippet) <= 500),
  passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
  verdict TEXT CHECK (verdict IN ('approve', 'needs_revision', 'blocker')),
  severity TEXT CHECK (severity IN ('Blocker', 'Critical', 'Major', 'Minor')),
  round INTEGER NOT NULL DEFAULT 1,
  ts DATETIME DEFAULT CURRENT_TIMESTAMP
)`,
  `CREATE TABLE IF NOT EXISTS pipeline_telemetry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  step TEXT NOT NULL,
  agent TEXT NOT NULL,
  instance TEXT,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  status TEXT CHECK (status IN ('DONE', 'NEEDS_REVISION', 'ERROR', 'running')),
  dispatch_count INTEGER DEFAULT 1,
  retry_count INTEGER DEFAULT 0,
  notes TEXT,
  ts DATETIME DEFAULT CURRENT_TIMESTAMP
)`,
] as const;

export const LEDGER_INDEXES = [
  "CREATE INDEX IF NOT EXISTS idx_anvil_task_phase ON anvil_checks (task_id, phase)",
  "CREATE INDEX IF NOT EXISTS idx_anvil_run_round ON anvil_checks (run_id, round)",
  "CREATE INDEX IF NOT EXISTS idx_telemetry_step ON pipeline_telemetry (step)",
] as const;

/** `INSERT OR REPLACE` deletes without firing a delete trigger, so an insert that would replace a row is refused as well. */
export const LEDGER_GUARDS = [
  `CREATE TRIGGER anvil_checks_no_update BEFORE UPDATE ON anvil_checks
BEGIN SELECT RAISE(ABORT, 'anvil_checks is append-only: a row cannot be changed'); END`,
  `CREATE TRIGGER anvil_checks_no_delete BEFORE DELETE ON anvil_checks
BEGIN SELECT RAISE(ABORT, 'anvil_checks is append-only: a row cannot be deleted'); END`,
  `CREATE TRIGGER anvil_checks_no_replace BEFORE INSERT ON anvil_checks
WHEN EXISTS (SELECT 1 FROM anvil_checks WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'anvil_checks is append-only: a row cannot be replaced'); END`,
  `CREATE TRIGGER anvil_checks_one_verdict BEFORE INSERT ON anvil_checks
WHEN NEW.phase = 'review' AND EXISTS (SELECT 1 FROM anvil_checks
  WHERE phase = 'review' AND run_id = NEW.run_id AND task_id = NEW.task_id AND check_name = NEW.check_name AND round = NEW.round)
BEGIN SELECT RAISE(ABORT, 'anvil_checks has this verdict already'); END`,
  "CREATE INDEX anvil_checks_of_round ON anvil_checks (run_id, task_id, phase, round)",
  "CREATE UNIQUE INDEX anvil_checks_review ON anvil_checks (run_id, task_id, check_name, round) WHERE phase = 'review'",
  "CREATE UNIQUE INDEX telemetry_dispatch ON pipeline_telemetry (run_id, step, agent, instance)",
] as const;
