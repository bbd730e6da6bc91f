import { canonicalJson } from "./canonical.ts";
import { cancelTree } from "./cancel.ts";
import { SlipwayError } from "./errors.ts";
import type { Parts } from "./execution.ts";
import { appendWithin } from "./journal.ts";
import { acquire, releaseWithin, type Lease } from "./lease.ts";
import { versionChanged } from "./replay.ts";
import { getRun } from "./runs.ts";
import type { Ordered } from "./scope.ts";
import { isFinished } from "./status.ts";
import type { RunRow } from "./tables.ts";

/** For control of a run from outside. `isDriven` tells whether this engine is driving a root. */
export interface Control {
  readonly parts: Parts;
  readonly isDriven: (rootRunId: string) => boolean;
}

/** Ends the execution, not the run. For a child it stops the root, because they share one process. */
export async function requestStop(control: Control, runId: string, order: Ordered): Promise<void> {
  const { rootRunId, status } = await rootOf(control, runId);
  if (isFinished(status) || status === "stopped") return;
  await orderOrDo(control, rootRunId, rootRunId, "stop", order, async (lease) => {
    const payload = canonicalJson({ by: order.by, reason: order.reason });
    await appendAndRelease(control, lease, { runId: rootRunId, kind: "stopped", payload, release: "stopped" });
  });
}

/** Cancels the run and its children for good; its siblings continue. */
export async function requestCancel(control: Control, runId: string, order: Ordered): Promise<void> {
  const row = await getRun(control.parts.sqlite, runId);
  if (isFinished(row.status)) return;
  await orderOrDo(control, row.root_run_id, runId, "cancel", order, async (lease) => {
    await cancelTree(control.parts, lease.fence, runId, order);
    if (runId !== row.root_run_id) await releaseLease(control, lease);
  });
}

/** Records that a person accepts another version of the code for the steps done so far. */
export async function repin(control: Control, runId: string, version: string, by: string, known: string | undefined): Promise<void> {
  const row = await getRun(control.parts.sqlite, runId);
  if (known !== undefined && known !== version) {
    throw versionChanged(runId, `Run ${runId} cannot continue with version ${version}: this program has ${row.workflow} version ${known}.`);
  }
  if (row.version === version) return;
  const { sqlite } = control.parts;
  const lease = await underLease(control, row.root_run_id);
  if (lease === null) return;
  const payload = canonicalJson({ by, from: row.version, to: version });
  await appendAndRelease(control, lease, { runId, kind: "repinned", payload }, () => {
    sqlite.prepare("UPDATE runs SET version = ? WHERE run_id = ?").run(version, runId);
  });
}

/** Records that a person wants a run that crashed too often to be tried again. */
export async function resetCrashes(control: Control, runId: string, by: string): Promise<void> {
  const { sqlite } = control.parts;
  const { rootRunId } = await rootOf(control, runId);
  const lease = await underLease(control, rootRunId);
  if (lease === null) return;
  await appendAndRelease(
    control,
    lease,
    { runId: rootRunId, kind: "crashes_reset", payload: canonicalJson({ by, crashes: lease.crashes }) },
    () => {
      sqlite.prepare("UPDATE runs SET crashes = 0 WHERE run_id = ?").run(rootRunId);
    },
  );
}

/** If a process drives the run, leaves the order in its row; otherwise carries the order out here. Retries if the driver ends in between. */
async function orderOrDo(
  control: Control,
  rootRunId: string,
  runId: string,
  request: "stop" | "cancel",
  order: Ordered,
  perform: (lease: Lease) => Promise<void>,
): Promise<void> {
  const { sqlite } = control.parts;
  for (;;) {
    const lease = await underLease(control, rootRunId).catch(heldElsewhere);
    if (lease === null) return;
    if (lease !== "held") return perform(lease);
    const sql = `UPDATE runs SET request = ?, request_reason = ?, request_by = ?
      WHERE run_id = ? AND (SELECT lease_engine FROM runs WHERE run_id = ?) IS NOT NULL`;
    const { changes } = await sqlite.exclusive(() => sqlite.prepare(sql).run(request, order.reason, order.by, runId, rootRunId));
    if (changes === 1) return;
  }
}

function heldElsewhere(error: unknown): "held" {
  if (error instanceof SlipwayError && error.code === "run_lease_held") return "held";
  throw error;
}

function underLease({ parts, isDriven }: Control, rootRunId: string): Promise<Lease | null> {
  return acquire(parts, rootRunId, { ownIsFree: !isDriven(rootRunId), heedCrashes: false });
}

interface Entry {
  readonly runId: string;
  readonly kind: string;
  readonly payload: string;
  readonly release?: "stopped";
}

async function appendAndRelease({ parts }: Control, lease: Lease, entry: Entry, also?: () => void): Promise<void> {
  const { sqlite, clock, observe } = parts;
  const event = await sqlite.write(() => {
    const written = appendWithin(
      sqlite,
      entry.runId,
      { kind: entry.kind, name: lease.before.workflow, payload: entry.payload },
      clock.now(),
      lease.fence,
    );
    also?.();
    releaseWithin(sqlite, lease.fence, entry.release ?? statusAfter(lease.before));
    return written;
  });
  observe(event);
}

async function releaseLease({ parts: { sqlite } }: Control, { fence, before }: Lease): Promise<void> {
  await sqlite.write(() => releaseWithin(sqlite, fence, statusAfter(before)));
}

/** A run whose process died still has the status "running". */
function statusAfter(before: RunRow): RunRow["status"] {
  return before.status === "running" ? "stopped" : before.status;
}

async function rootOf({ parts }: Control, runId: string): Promise<{ rootRunId: string; status: RunRow["status"] }> {
  const row = await getRun(parts.sqlite, runId);
  const root = row.root_run_id === runId ? row : await getRun(parts.sqlite, row.root_run_id);
  return { rootRunId: root.run_id, status: root.status };
}
