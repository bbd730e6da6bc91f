import { context } from "@opentelemetry/api";
import { canonicalJson } from "./canonical.ts";
import { runWorkflow } from "./run-workflow.ts";
import type { Workflow } from "./ctx.ts";
import { createExecution, type Execution, type Parts } from "./execution.ts";
import { finish } from "./finish.ts";
import { append, openStream, type Stream } from "./journal.ts";
import { keepLease } from "./lease-loop.ts";
import { releaseWithin, type Lease } from "./lease.ts";
import type { Outcome } from "./outcome.ts";
import { openScope } from "./scope.ts";
import { recordedInput } from "./start-event.ts";
import { startRunSpan } from "./telemetry.ts";

export interface DriveOptions {
  /** If only an answer can continue the run: return (the default), or wait for the answer. */
  readonly whenWaiting?: "return" | "wait";
  /** Stops the run; it can be resumed. */
  readonly signal?: AbortSignal;
  /** Passed to the workflows of this run instead of the engine's own. */
  readonly services?: unknown;
}

/** Drives a run under a lease that was just acquired. */
export async function driveUnder<K>(
  parts: Parts,
  lease: Lease,
  workflow: Workflow<never, unknown, K>,
  options: DriveOptions,
  begun: (execution: Execution) => void,
): Promise<Outcome> {
  const { rootRunId } = lease.fence;
  const execution = createExecution(parts, lease.fence, options.whenWaiting ?? "return");
  const { stream, input } = await prepare(parts, lease, workflow.name);
  const span = startRunSpan(parts.tracer, workflow.name, rootRunId, context.active());
  const { name, durability } = workflow;
  const root = openScope(execution, { runId: rootRunId, workflow: name, durability, stream, span }, null);
  const interrupt = () => execution.conclude({ status: "stopped", reason: interruption(options.signal), by: "process" });
  options.signal?.addEventListener("abort", interrupt, { once: true });
  if (options.signal?.aborted === true) interrupt();

  const done = new AbortController();
  begun(execution);
  const leaseLoop = keepLease(execution, done.signal);
  // Never rejects: an error is either the run's outcome or has already concluded the execution.
  void runWorkflow(root, workflow, input).then(execution.conclude);
  try {
    return await finish(execution, root, await execution.ended);
  } finally {
    done.abort();
    await leaseLoop;
    options.signal?.removeEventListener("abort", interrupt);
  }
}

/** Verifies the journal before anything runs. If it is broken, releases the lease and restores the status. */
async function prepare(
  parts: Parts,
  { fence, before, takenFrom, crashes }: Lease,
  name: string,
): Promise<{ stream: Stream; input: never }> {
  try {
    const stream = await openStream(parts.sqlite, fence.rootRunId, fence);
    const input = await recordedInput<never>(parts, fence.rootRunId);
    if (takenFrom !== null) {
      const { host, pid } = takenFrom;
      await append(parts, stream, { kind: "taken_over", name, payload: canonicalJson({ crashes, epoch: fence.epoch, host, pid }) });
    }
    return { stream, input };
  } catch (error) {
    await parts.sqlite.write(() => releaseWithin(parts.sqlite, fence, before.status));
    throw error;
  }
}

function interruption(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : String(reason);
}
