import { canonicalJson } from "./canonical.ts";
import { cancelTree, endUnawaited } from "./cancel.ts";
import type { runWorkflow } from "./run-workflow.ts";
import type { Workflow } from "./ctx.ts";
import { toFailure, type Failure } from "./errors.ts";
import { append, appendWithin, headWithin, leaseLost, openStream, type Stream } from "./journal.ts";
import { childRunId, OUTCOME } from "./names.ts";
import { cancelledError, readOutcome } from "./outcome.ts";
import { spill } from "./payload.ts";
import { recall, record, replay } from "./replay.ts";
import { findRun, finishWithin, insertRun } from "./runs.ts";
import { inTransaction } from "./sqlite.ts";
import { durably, endScope, openScope, untilQuiet, whileIdle, type Ordered, type Scope } from "./scope.ts";
import { assertVersion, inputDigest, inputText, recordedInput } from "./start-event.ts";
import { isFinished } from "./status.ts";
import type { RunRow } from "./tables.ts";
import { startRunSpan } from "./telemetry.ts";

type Settled = { readonly value: unknown } | { readonly failure: Failure };

/** A separate run under the same lease. Its own stream records the outcome first, then the parent's stream with the final head. */
export async function child<I, O, K>(
  scope: Scope,
  body: typeof runWorkflow,
  name: string,
  workflow: Workflow<I, O, K>,
  input: I,
): Promise<O> {
  const recorded = await recall(scope, name, ["child", "child_failed"]);
  if (recorded !== undefined) return replay(scope, recorded);
  const { parts } = scope.execution;
  const runId = childRunId(scope.runId, name);
  const given = { text: inputText(workflow, input), digest: inputDigest(workflow, input) };
  const row = await durably(scope, findRun(parts.sqlite, runId));
  const settled =
    row === undefined
      ? await run(scope, body, workflow, await begin(scope, runId, workflow, given))
      : await resume(scope, body, workflow, row);
  const head = await durably(
    scope,
    parts.sqlite.reading(() => headWithin(parts.sqlite, runId)),
  );
  const kind = "failure" in settled ? "child_failed" : "child";
  const { durability } = scope;
  return replay(scope, await record(scope, { kind, name, key: name, durability }, canonicalJson({ run_id: runId, head, ...settled })));
}

/** Inserts the child's row and its first event in one commit. */
async function begin<I, O, K>(
  scope: Scope,
  runId: string,
  workflow: Workflow<I, O, K>,
  given: { text: string; digest: string },
): Promise<Stream> {
  const { sqlite, blobs, clock, observe } = scope.execution.parts;
  const { fence } = scope.stream;
  const write = async () => {
    const payload = await spill(blobs, given.text);
    const insert = () => {
      const at = Math.floor(clock.now());
      const { name, version } = workflow;
      const started = appendWithin(sqlite, runId, { kind: "started", name, payload }, at, fence);
      const parent = { root_run_id: fence.rootRunId, parent_run_id: scope.runId };
      insertRun(sqlite, {
        run_id: runId,
        ...parent,
        workflow: name,
        version,
        input_digest: given.digest,
        status: "running",
        created_at: at,
      });
      return started;
    };
    const event = await sqlite.exclusive((database) => inTransaction(database, insert), workflow.durability);
    observe(event);
    return { name: runId, fence, head: { seq: event.seq, hash: event.hash }, unrecalled: 0, closed: false };
  };
  return durably(scope, write());
}

/** Continues a child that an earlier process began. */
async function resume<I, O, K>(scope: Scope, body: typeof runWorkflow, workflow: Workflow<I, O, K>, row: RunRow): Promise<Settled> {
  const { parts } = scope.execution;
  const { fence } = scope.stream;
  const stream = await durably(scope, openStream(parts.sqlite, row.run_id, fence));
  if (isFinished(row.status)) {
    const outcome = await durably(scope, readOutcome(parts, row));
    if (outcome.status === "completed") return { value: outcome.value };
    return { failure: outcome.status === "failed" ? outcome.failure : cancelledFailure(row.run_id, outcome.reason) };
  }
  if (row.request === "cancel") return cancel(scope, row.run_id, { reason: String(row.request_reason), by: String(row.request_by) });
  await durably(scope, setRunning(scope, row, workflow));
  return run(scope, body, workflow, stream);
}

async function setRunning<I, O, K>(scope: Scope, row: RunRow, workflow: Workflow<I, O, K>): Promise<void> {
  const { sqlite } = scope.execution.parts;
  const { rootRunId, epoch } = scope.stream.fence;
  assertVersion(row, workflow);
  if (row.status === "running") return;
  const sql = "UPDATE runs SET status = 'running' WHERE run_id = ? AND (SELECT epoch FROM runs WHERE run_id = ?) = ?";
  const { changes } = await sqlite.exclusive(() => sqlite.prepare(sql).run(row.run_id, rootRunId, epoch));
  if (changes === 0) throw leaseLost(rootRunId);
}

async function run<I, O, K>(scope: Scope, body: typeof runWorkflow, workflow: Workflow<I, O, K>, stream: Stream): Promise<Settled> {
  const { parts } = scope.execution;
  const runId = stream.name;
  const input = await durably(scope, recordedInput<I>(parts, runId));
  const span = startRunSpan(parts.tracer, workflow.name, runId, scope.span.context);
  const { name, durability } = workflow;
  const inner = openScope(scope.execution, { runId, workflow: name, durability, stream, span }, scope);
  const ended = await whileIdle(scope, () => Promise.race([body(inner, workflow, input), inner.cancelled.promise]));
  endScope(inner, new Error(`Run ${runId} has ended.`));
  if ("by" in ended) await untilQuiet(inner);
  scope.children.delete(inner);
  return "by" in ended ? cancel(scope, runId, ended) : conclude(scope, inner, ended);
}

async function conclude(scope: Scope, inner: Scope, ended: Awaited<ReturnType<typeof runWorkflow>>): Promise<Settled> {
  const { parts } = scope.execution;
  const { stream, workflow: name, durability } = inner;
  const { sqlite, blobs, clock } = parts;
  const text = ended.status === "completed" ? ended.value : canonicalJson({ failure: ended.failure });
  const finish = () => {
    finishWithin(sqlite, stream.name, ended.status, Math.floor(clock.now()));
    stream.closed = true;
  };
  const write = async () => {
    await endUnawaited(inner);
    await append(parts, stream, { kind: ended.status, name, key: OUTCOME, durability, payload: await spill(blobs, text) }, finish);
  };
  await durably(scope, write());
  scope.execution.moved();
  return ended.status === "completed" ? (JSON.parse(text) as { value: unknown }) : { failure: ended.failure };
}

async function cancel(scope: Scope, runId: string, order: Ordered): Promise<Settled> {
  await durably(scope, cancelTree(scope.execution.parts, scope.stream.fence, runId, order));
  scope.execution.moved();
  return { failure: cancelledFailure(runId, order.reason) };
}

function cancelledFailure(runId: string, reason: string): Failure {
  return toFailure(cancelledError(runId, reason));
}
