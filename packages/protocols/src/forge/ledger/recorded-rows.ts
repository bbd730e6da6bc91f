import type { Db } from "@slipway/kernel/record/database/tables";
import { absentRow, assertUntouched, rowFault } from "@slipway/kernel/record/facts/compare";
import { journalFacts, type JournalFacts } from "@slipway/kernel/record/facts/read-back";

const TABLE = "anvil_checks";
/** Below the number of parameters that SQLite takes. */
const PAGE = 500;

interface TaskKey {
  readonly run_id: string;
  readonly task_id: string;
}

/** The rows of each task, from the facts that were read so far. Facts have no task, so each row is read once, when its fact is new. */
interface KnownRows {
  factsRead: number;
  readonly ofTask: Map<string, Set<string>>;
}

const known = new WeakMap<readonly string[], KnownRows>();

const nameOf = ({ run_id, task_id }: TaskKey) => JSON.stringify([run_id, task_id]);

/**
 * A gate counts the rows of one task, so each must be as the journal recorded it, and none may be missing or moved to another task. What a
 * call costs depends on the task and on the facts since the last call, not on the run.
 */
export async function assertRecorded(db: Db, task: TaskKey): Promise<void> {
  const facts = await journalFacts(db);
  const { ofTask } = await readNewRows(db, facts);
  const rows = await db.selectFrom(TABLE).selectAll().where("run_id", "=", task.run_id).where("task_id", "=", task.task_id).execute();
  const there = new Set(rows.map(({ id }) => String(id)));
  const gone = [...(ofTask.get(nameOf(task)) ?? [])].filter((key) => !there.has(key));
  assertUntouched([...rows.map((row) => rowFault(facts, TABLE, String(row.id), row)), ...gone.map((key) => absentRow(facts, TABLE, key))]);
}

/** The same for every task of a run, before its change merges. */
export async function assertRunRecorded(db: Db, run_id: string): Promise<void> {
  const { ofTask } = await readNewRows(db, await journalFacts(db));
  const tasks = [...ofTask.keys()].map((name) => JSON.parse(name) as [string, string]);
  for (const [run, task_id] of tasks) if (run === run_id) await assertRecorded(db, { run_id, task_id });
}

async function readNewRows(db: Db, facts: JournalFacts): Promise<KnownRows> {
  const log = facts.log(TABLE);
  const rows = known.get(log) ?? { factsRead: 0, ofTask: new Map<string, Set<string>>() };
  const until = log.length;
  for (let from = rows.factsRead; from < until; from += PAGE) {
    const keys = log.slice(from, Math.min(from + PAGE, until));
    const found = await db.selectFrom(TABLE).selectAll().where("id", "in", keys.map(Number)).execute();
    const there = new Set(found.map(({ id }) => String(id)));
    const gone = keys.filter((key) => !there.has(key)).map((key) => absentRow(facts, TABLE, key));
    assertUntouched([...found.map((row) => rowFault(facts, TABLE, String(row.id), row)), ...gone]);
    for (const row of found) {
      const name = nameOf(row);
      rows.ofTask.set(name, (rows.ofTask.get(name) ?? new Set()).add(String(row.id)));
    }
  }
  rows.factsRead = until;
  known.set(log, rows);
  return rows;
}
