import { canonicalJson } from "./canonical.ts";
import type { Parts } from "./execution.ts";
import { appendWithin, type Fence } from "./journal.ts";
import { releaseWithin } from "./lease.ts";
import { OUTCOME } from "./names.ts";
import { finishWithin, treeWithin } from "./runs.ts";
import type { Ordered, Scope } from "./scope.ts";
import { isFinished } from "./status.ts";

/** Cancels a run and its children, and with the root releases the lease. Closes questions first, so that none outlives its run. */
export async function cancelTree(parts: Parts, fence: Fence, runId: string, { reason, by }: Ordered): Promise<void> {
  const { sqlite, clock, inbox, observe } = parts;
  for (const { stream, name } of await openQuestions(parts, runId)) await inbox.close(stream, name, "cancelled");
  const payload = canonicalJson({ by, reason });
  const events = await sqlite.write(() => {
    const at = Math.floor(clock.now());
    // Bodies that ignored the abort still hold the old heads in memory, so their later writes conflict with these events.
    const open = treeWithin(sqlite, runId).filter((row) => !isFinished(row.status));
    const written = open.map((row) => {
      finishWithin(sqlite, row.run_id, "cancelled", at);
      return appendWithin(sqlite, row.run_id, { kind: "cancelled", name: row.workflow, key: OUTCOME, payload }, at, fence);
    });
    if (runId === fence.rootRunId) releaseWithin(sqlite, fence, "cancelled");
    return written;
  });
  events.forEach(observe);
}

/** Runs before a run is recorded as finished: ends the questions and children that its function did not wait for. */
export async function endUnawaited({ execution: { parts, fence }, runId, asks }: Scope): Promise<void> {
  const { sqlite, inbox } = parts;
  for (const name of asks) await inbox.close(runId, name, "cancelled");
  const tree = await sqlite.exclusive(() => treeWithin(sqlite, runId));
  for (const row of tree.filter(({ parent_run_id, status }) => parent_run_id === runId && !isFinished(status))) {
    await cancelTree(parts, fence, row.run_id, { reason: `Run ${runId} ended without waiting for it.`, by: "slipway" });
  }
}

function openQuestions({ sqlite }: Parts, runId: string): Promise<{ stream: string; name: string }[]> {
  const sql = `SELECT stream, name FROM events AS asked WHERE stream = ? AND kind = 'asked'
    AND NOT EXISTS (SELECT 1 FROM events AS settled WHERE settled.stream = asked.stream AND settled.key = asked.name)`;
  return sqlite.exclusive(() =>
    treeWithin(sqlite, runId)
      .filter((row) => !isFinished(row.status))
      .flatMap((row) => sqlite.prepare(sql).all(row.run_id) as { stream: string; name: string }[]),
  );
}
