import type { Execution } from "./execution.ts";
import { leaseLost } from "./journal.ts";
import { renew } from "./lease.ts";
import type { RunRow } from "./tables.ts";

/**
 * Renews the lease and polls for orders and answers until `done`. Both are rows, because any process may write them; a poll is two
 * indexed reads. PRAGMA data_version cannot replace it: it ignores writes of the same connection, which the kernel shares.
 */
export async function keepLease(execution: Execution, done: AbortSignal): Promise<void> {
  try {
    await keepUntil(execution, done);
  } catch (error) {
    execution.conclude({ status: "halted", error });
  }
}

async function keepUntil(execution: Execution, done: AbortSignal): Promise<void> {
  const { clock, leaseMs, pollMs, sleep } = execution.parts;
  let renewedAt = clock.monotonic();
  while (!done.aborted) {
    await applyOrders(execution);
    execution.pulse.beat();
    await Promise.race([sleep(pollMs, done), execution.poke.next()]);
    if (clock.monotonic() - renewedAt < leaseMs / 3) continue;
    if (!(await renew(execution.parts, execution.fence))) throw leaseLost(execution.fence.rootRunId);
    renewedAt = clock.monotonic();
  }
}

async function applyOrders({ parts: { sqlite }, fence, scopes, conclude }: Execution): Promise<void> {
  const sql = "SELECT run_id, request, request_reason, request_by FROM runs WHERE root_run_id = ? AND request IS NOT NULL";
  const rows = await sqlite.exclusive(
    () => sqlite.prepare(sql).all(fence.rootRunId) as Pick<RunRow, "run_id" | "request" | "request_reason" | "request_by">[],
  );
  for (const { run_id, request, request_reason, request_by } of rows) {
    const order = { reason: String(request_reason), by: String(request_by) };
    if (run_id !== fence.rootRunId) scopes.get(run_id)?.cancelled.resolve(order);
    else conclude({ status: request === "cancel" ? "cancelled" : "stopped", ...order });
  }
}
