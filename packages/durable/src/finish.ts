import { canonicalJson } from "./canonical.ts";
import { cancelTree, endUnawaited } from "./cancel.ts";
import { SlipwayError } from "./errors.ts";
import type { RunEnding, Execution, OpenAsk } from "./execution.ts";
import { append, leaseLost } from "./journal.ts";
import { releaseWithin } from "./lease.ts";
import { OUTCOME } from "./names.ts";
import type { Outcome } from "./outcome.ts";
import { spill } from "./payload.ts";
import { finishWithin, runWithin } from "./runs.ts";
import { untilQuiet, type Ordered, type Scope } from "./scope.ts";
import type { RunStatus } from "./status.ts";

/** Records how the execution ended and releases the lease, in one commit. */
export async function finish(execution: Execution, root: Scope, ending: RunEnding): Promise<Outcome> {
  await untilQuiet(root);
  switch (ending.status) {
    case "completed":
      await settle(execution, root, "completed", ending.value);
      return { status: "completed", value: (JSON.parse(ending.value) as { value: unknown }).value };
    case "failed":
      await settle(execution, root, "failed", canonicalJson({ failure: ending.failure }));
      return ending;
    case "waiting":
      return suspend(execution, root, ending.questions);
    case "stopped":
      return stop(execution, root, ending);
    case "cancelled":
      return cancel(execution, ending);
    case "halted":
      return halt(execution, root, ending.error);
  }
}

async function settle({ parts, fence }: Execution, root: Scope, status: "completed" | "failed", text: string): Promise<void> {
  const { sqlite, clock, blobs } = parts;
  await endUnawaited(root);
  const payload = await spill(blobs, text);
  await append(parts, root.stream, { kind: status, name: root.workflow, key: OUTCOME, payload }, () => {
    finishWithin(sqlite, root.runId, status, Math.floor(clock.now()));
    releaseWithin(sqlite, fence, status);
  });
}

/** An order that arrives while the run is being suspended still counts. */
async function suspend(execution: Execution, root: Scope, questions: readonly OpenAsk[]): Promise<Outcome> {
  const { sqlite } = execution.parts;
  const row = await sqlite.write(() => {
    const found = runWithin(sqlite, root.runId);
    if (found.request === null) release(execution, "waiting");
    return found;
  });
  const order = { reason: String(row.request_reason), by: String(row.request_by) };
  if (row.request === "cancel") return cancel(execution, order);
  if (row.request === "stop") return stop(execution, root, order);
  return { status: "waiting", questions };
}

async function stop(execution: Execution, root: Scope, { reason, by }: Ordered): Promise<Outcome> {
  const payload = canonicalJson({ by, reason });
  await append(execution.parts, root.stream, { kind: "stopped", name: root.workflow, payload }, () => release(execution, "stopped"));
  return { status: "stopped", reason };
}

async function cancel({ parts, fence }: Execution, order: Ordered): Promise<Outcome> {
  await cancelTree(parts, fence, fence.rootRunId, order);
  return { status: "cancelled", reason: order.reason };
}

/** Records the reason if possible, then throws the original error even if recording failed. */
async function halt(execution: Execution, root: Scope, error: unknown): Promise<never> {
  const lost = error instanceof SlipwayError && error.code === "lease_lost";
  const reason = error instanceof SlipwayError ? `${error.code}: ${error.message}` : String(error);
  if (!lost) await stop(execution, root, { reason: reason.toWellFormed(), by: "slipway" }).catch(() => undefined);
  throw error;
}

/** Inside a transaction. Sets the status of unfinished children as well. */
function release({ parts: { sqlite }, fence }: Execution, status: RunStatus): void {
  if (!releaseWithin(sqlite, fence, status)) throw leaseLost(fence.rootRunId);
  sqlite.prepare("UPDATE runs SET status = ? WHERE root_run_id = ? AND status IN ('pending', 'running')").run(status, fence.rootRunId);
}
