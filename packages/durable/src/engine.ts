import type { Head, JournalEvent, ChainVerdict } from "./chain.ts";
import { repin, requestCancel, requestStop, resetCrashes } from "./control.ts";
import type { Workflow } from "./ctx.ts";
import { driveUnder, type DriveOptions } from "./drive.ts";
import { systemIds, type Blobs, type Clock, type Ids } from "./environment.ts";
import { SlipwayError } from "./errors.ts";
import type { Execution, Parts } from "./execution.ts";
import { systemHost, type HostIdentity } from "./host.ts";
import type { Inbox } from "./inbox.ts";
import { headWithin, readEvents, verifyStream } from "./journal.ts";
import { acquire, leaseHeld } from "./lease.ts";
import { readOutcome, type Outcome } from "./outcome.ts";
import { prune, type Pruned, type PruneOptions } from "./retention.ts";
import { findRun, getRun, listRuns, runInfo, runWithin, type RunFilter, type RunInfo } from "./runs.ts";
import { insertSignal } from "./signals.ts";
import type { Sqlite } from "./sqlite.ts";
import { startRun } from "./start.ts";
import { assertVersion } from "./start-event.ts";
import { isFinished } from "./status.ts";
import { migrateDurable } from "./tables.ts";
import { durableTracer } from "./telemetry.ts";
import { systemSleep, type Sleep } from "./timer.ts";

export interface EngineOptions<K> {
  /** Owned by the caller; `close` leaves it open. */
  readonly sqlite: Sqlite;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inbox: Inbox;
  /** Workflows for `start` and `drive`. Children need no entry. */
  readonly workflows: readonly Workflow<never, unknown, K>[];
  /** Passed to every workflow unless `drive` gets its own services. */
  readonly kernel?: K;
  readonly leaseMs?: number;
  /** How often the owner polls for answers and orders from other processes. */
  readonly pollMs?: number;
  /** How long an aborted body may take to end before it is abandoned. */
  readonly graceMs?: number;
  readonly maxCrashes?: number;
  /** Called right after the commit of each event that this engine writes. */
  readonly observe?: (event: JournalEvent) => void;
  /** Called before each attempt; not journalled. */
  readonly onStepStart?: (runId: string, name: string) => void;
  readonly host?: HostIdentity;
  readonly sleep?: Sleep;
}

export interface Engine {
  /** Records a run; the same id, workflow and input are the same run. */
  start(workflowName: string, input: unknown, options?: { readonly runId?: string }): Promise<string>;
  /** Drives a root run from its last recorded step. Rejects if it cannot be driven here and now. */
  drive(runId: string, options?: DriveOptions): Promise<Outcome>;
  /** Sends an answer. It is kept until the question is asked; the first valid answer counts. */
  signal(runId: string, name: string, value: unknown, by?: string): Promise<void>;
  requestStop(runId: string, reason: string, by?: string): Promise<void>;
  requestCancel(runId: string, reason: string, by?: string): Promise<void>;
  /** Records that a person accepts another version of the workflow for a run. */
  repin(runId: string, version: string, by: string): Promise<void>;
  resetCrashes(runId: string, by: string): Promise<void>;
  /** Polls for answers and orders now, because this process has written some. */
  wake(): void;
  runs(filter?: RunFilter): Promise<RunInfo[]>;
  run(runId: string): Promise<RunInfo | undefined>;
  events(stream: string, fromSeq?: number, limit?: number): Promise<JournalEvent[]>;
  head(stream: string): Promise<Head>;
  verify(stream: string, keptHead?: Head): Promise<ChainVerdict>;
  prune(options: PruneOptions): Promise<Pruned>;
  /** Stops the runs that this engine drives; they can be resumed. */
  close(): Promise<void>;
}

const DEFAULTS = { leaseMs: 30_000, pollMs: 100, graceMs: 10_000, maxCrashes: 5 };
const PAGE = 1000;

export async function openEngine<K>(options: EngineOptions<K>): Promise<Engine> {
  const { sqlite, ids } = options;
  await migrateDurable(sqlite);
  const parts = partsOf(options);
  const workflows = new Map(options.workflows.map((workflow) => [workflow.name, workflow]));
  const driven = new Map<string, Driven>();
  const control = { parts, isDriven: (rootRunId: string) => driven.has(rootRunId) };
  let closed = false;

  async function drive(runId: string, options: DriveOptions = {}): Promise<Outcome> {
    const row = await getRun(sqlite, runId);
    if (row.parent_run_id !== null) throw notARoot(runId, row.root_run_id);
    if (isFinished(row.status)) return readOutcome(parts, row);
    const workflow = known(row.workflow);
    assertVersion(row, workflow);
    if (driven.has(runId)) throw leaseHeld(runId, parts.host, Number(row.lease_until));
    const mine: Driven = { execution: null, done: Promise.resolve() };
    driven.set(runId, mine);
    const work = carry(runId, workflow, options, mine).finally(() => driven.delete(runId));
    mine.done = work.then(
      () => undefined,
      () => undefined,
    );
    return work;
  }

  async function carry(runId: string, workflow: Workflow<never, unknown, K>, options: DriveOptions, mine: Driven): Promise<Outcome> {
    const lease = await acquire(parts, runId, { ownIsFree: true, heedCrashes: true });
    // Another process finished it in the meantime.
    if (lease === null) return readOutcome(parts, await getRun(sqlite, runId));
    const own = options.services === undefined ? parts : { ...parts, kernel: options.services };
    return driveUnder(own, lease, workflow, options, (execution) => {
      mine.execution = execution;
      if (closed) concludeClosed(execution);
    });
  }

  function known(name: string): Workflow<never, unknown, K> {
    const workflow = workflows.get(name);
    if (workflow !== undefined) return workflow;
    throw new SlipwayError("workflow_unknown", `This program has no workflow "${name}".`, {
      workflow: name,
      suggested_next_actions: [`Use one of: ${[...workflows.keys()].join(", ")}.`, "Update Slipway if a newer version started the run."],
    });
  }

  function wake(): void {
    for (const { execution } of driven.values()) execution?.poke.beat();
  }

  return {
    drive,
    wake,
    async start(workflowName, input, { runId = ids.next("run") } = {}) {
      await startRun(parts, known(workflowName), input, runId);
      return runId;
    },
    async signal(runId, name, value, by = "person") {
      await sqlite.write((database) => {
        if (isFinished(runWithin(sqlite, runId).status)) throw questionClosed(runId, name);
        insertSignal(database, { runId, name, value, sentBy: by, at: parts.clock.now() });
      });
      wake();
    },
    async requestStop(runId, reason, by = "person") {
      await requestStop(control, runId, { reason, by });
      wake();
    },
    async requestCancel(runId, reason, by = "person") {
      await requestCancel(control, runId, { reason, by });
      wake();
    },
    async repin(runId, version, by) {
      const { workflow } = await getRun(sqlite, runId);
      await repin(control, runId, version, by, workflows.get(workflow)?.version);
    },
    resetCrashes: (runId, by) => resetCrashes(control, runId, by),
    runs: (filter = {}) => listRuns(sqlite, filter),
    async run(runId) {
      const row = await findRun(sqlite, runId);
      return row === undefined ? undefined : runInfo(row);
    },
    events: (stream, fromSeq = 1, limit = PAGE) => readEvents(sqlite, stream, fromSeq, limit),
    head: (stream) => sqlite.exclusive(() => headWithin(sqlite, stream)),
    verify: (stream, keptHead) => verifyStream(sqlite, stream, { keptHead, blobs: parts.blobs }),
    prune: (options) => prune(parts, options),
    async close() {
      closed = true;
      for (const { execution } of driven.values()) if (execution !== null) concludeClosed(execution);
      await Promise.all([...driven.values()].map(({ done }) => done));
    },
  };
}

interface Driven {
  execution: Execution | null;
  done: Promise<void>;
}

function partsOf<K>(options: EngineOptions<K>): Parts {
  return {
    observe: () => undefined,
    onStepStart: () => undefined,
    sleep: systemSleep,
    ...DEFAULTS,
    ...options,
    kernel: options.kernel,
    host: options.host ?? systemHost(),
    // Not from `ids`: with scripted ids, two processes would get the same engine id.
    engineId: systemIds.next("engine"),
    tracer: durableTracer(),
  };
}

function concludeClosed(execution: Execution): void {
  execution.conclude({ status: "stopped", reason: "The engine was closed.", by: "process" });
}

function notARoot(runId: string, rootRunId: string): SlipwayError {
  return new SlipwayError("run_not_found", `${runId} is a part of run ${rootRunId} and continues with it.`, {
    run_id: runId,
    suggested_next_actions: [`slipway resume ${rootRunId}`],
  });
}

function questionClosed(runId: string, name: string): SlipwayError {
  return new SlipwayError("question_closed", `Run ${runId} has finished; its question "${name}" is closed.`, {
    run_id: runId,
    question: name,
  });
}
