import type { DriveOptions } from "@slipway/durable/drive";
import type { Head, JournalEvent } from "@slipway/durable/chain";
import type { Outcome } from "@slipway/durable/outcome";
import { SlipwayError } from "@slipway/durable/errors";
import { decodePayload } from "@slipway/durable/payload";
import { isFinished } from "@slipway/durable/status";
import { openEngine, type Engine } from "@slipway/durable/engine";
import type { DoorEvent } from "@slipway/kernel/record/operations/door";
import { appendRunHead, REPOSITORY_STREAM, RUN_HEAD } from "@slipway/kernel/record/journal/repository";
import type { Repository } from "@slipway/kernel/host/git/repository";
import { factory, type FactoryInput } from "@slipway/protocols/factory/protocol";
import type { PartialInput } from "@slipway/protocols/factory/partial";
import { lateChange, type LateChangeInput } from "@slipway/protocols/factory/late-change";
import { migrateFactory } from "@slipway/protocols/factory/tables";
import { openFactoryShop } from "@slipway/protocols/factory/shop";
import { features, type FeaturesInput, type RunAgents } from "@slipway/protocols/features/protocol";
import { recover } from "@slipway/protocols/features/recovery";
import { layoutOf } from "@slipway/kernel/host/layout";
import { groundAt, type Ground } from "@slipway/kernel/open";
import { assertNotRolledBack, keepHeads } from "@slipway/kernel/record/journal/heads";
import { openKernel, type Kernel } from "@slipway/kernel/kernel";
import { openRecords } from "@slipway/kernel/open-records";
import type { Records } from "@slipway/kernel/record/storage";
import { restoreFiles } from "@slipway/kernel/restore-files";
import { openRunLease, type RunLease } from "@slipway/kernel/record/run-lease/lease";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { recordOverride } from "@slipway/kernel/change/judge/sandbox-override";
import { reconcile } from "@slipway/kernel/host/git/reconcile";
import { openTracing } from "@slipway/agents/telemetry/tracing";
import { makePrivateFolder } from "@slipway/kernel/host/files/private-folder";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { secretsOf } from "@slipway/kernel/host/redaction/secrets";
import { openRunLog, type RunLog } from "@slipway/kernel/budget/run-log/run-log";
import { agentsNow, deskFor, type AgentChoice, type ProtocolName } from "./agents.ts";
import type { Io } from "./io.ts";
import { keepLease, keepLocksOf } from "./lease.ts";
import { personOf, placesOf } from "./places.ts";
import { tellRepairs } from "./repairs.ts";
import { STARTED } from "./workflows.ts";

/** Looked at by the progress display and by the kill suite. */
export interface Hooks {
  readonly observe?: (event: JournalEvent) => void;
  readonly onStepStart?: (runId: string, step: string) => void;
  readonly onOperation?: (event: DoorEvent) => void;
  readonly onWarning?: (text: string) => void;
}

export interface SessionOptions extends Hooks {
  readonly io: Io;
  readonly agents: AgentChoice;
  readonly unsandboxedReason?: string | undefined;
}

/** Everything a command needs that makes runs go on. */
export interface Session {
  readonly repository: Repository;
  readonly records: Records;
  readonly kernel: Kernel;
  readonly engine: Engine;
  /** Opened, and with it tried, on first use. */
  readonly sandbox: () => Promise<Sandbox>;
  /** Who plays which role, by what was said at the command line, in the environment and in agents.yaml. */
  readonly agents: (protocol: ProtocolName) => Promise<RunAgents>;
  /** Why its gates may run without a sandbox, and who says so, becomes part of the run's record; nothing where they may not. */
  recordOverride(runId: string): Promise<void>;
  /** Carries a run on; when it has ended for good, its last head becomes part of the repository's own stream. */
  drive(runId: string, options?: DriveOptions): Promise<Outcome>;
  close(): Promise<void>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const { io } = options;
  const reason = options.unsandboxedReason;
  const ground = await groundAt({
    cwd: io.cwd,
    env: io.env,
    ...(reason === undefined ? {} : { unsandboxed: { reason, by: personOf(io).id } }),
  });
  const layout = layoutOf(ground.repository);
  const records = await openRecords({
    layout,
    observe(event) {
      options.onOperation?.(event);
      log.note(event.operationId);
      repairs.note(event);
    },
    fence: (tx) => lease.assertHeld(tx),
  });
  const log = openRunLog({
    db: records.database.db,
    layout,
    redactor: createRedactor({ secrets: secretsOf(io.env) }),
    onWarning: options.onWarning ?? (() => undefined),
  });
  const repairs = tellRepairs(
    () => records.database.db,
    (event) => options.observe?.(event),
  );
  const lease = openRunLease({ db: records.database.db, clock: records.clock, journal: records.journal });
  try {
    // Before anything is touched: another supervisor may be in the middle of it.
    await lease.take(null);
    await migrateFactory(records.database.db, records.database.sqlite.path);
    return await supervise({ ...options, ground, records, lease, log, told: repairs.settled });
  } catch (error) {
    await lease.release();
    await records.close();
    throw error;
  }
}

interface Supervision extends SessionOptions {
  readonly ground: Ground;
  readonly records: Records;
  readonly lease: RunLease;
  readonly log: RunLog;
  /** Everything that was seen so far has been told. */
  readonly told: () => Promise<void>;
}

/** What the holder of the lease works with. */
async function supervise(options: Supervision): Promise<Session> {
  const { io, ground, records, lease, log, told } = options;
  const { repository, sandbox } = ground;
  const { stateHome } = placesOf(io);
  const warn = options.onWarning ?? (() => undefined);
  // Worktrees, layers and packs need it: better refused now than by the first step.
  makePrivateFolder(stateHome);
  await reconcile(repository);
  await assertNotRolledBack(stateHome, records);
  const kernel = openKernel({ ...ground, records });
  await restoreFiles(records, io.env, warn);
  await kernel.features.restoreProjections();
  let recorded: RunAgents | null = null;
  let protocol: ProtocolName = "features";
  const tracing = await openTracing(io.env, warn);
  const desk = deskFor({
    kernel,
    io,
    choice: options.agents,
    protocol: () => protocol,
    recorded: () => recorded,
    tracing,
    onWarning: warn,
  });
  /** The features of the run that is being carried out. */
  const own: { readonly feature_id: string }[] = [];
  const shop = openFactoryShop({ kernel, desk, env: io.env });
  const engine = await openEngine({
    sqlite: records.database.sqlite,
    blobs: records.objects,
    clock: records.clock,
    ids: records.ids,
    inbox: records.inbox,
    workflows: STARTED,
    kernel: shop,
    observe(event) {
      options.observe?.(event);
      log.note(event.stream);
      // A release becomes a feature in the middle of its run.
      const feature_id = /^[^/]+\/feature:([^/]+)$/.exec(event.stream)?.[1];
      if (feature_id !== undefined && own.every((one) => one.feature_id !== feature_id)) own.push({ feature_id });
    },
    ...(options.onStepStart === undefined ? {} : { onStepStart: options.onStepStart }),
  });
  const heart = keepLease(lease);
  const known = new Set<string>();
  async function recoverOnce(runId: string, own: readonly string[]): Promise<void> {
    const begun = (await engine.run(runId))?.status !== "pending";
    if (begun && !known.has(runId)) await recover(kernel, `${runId}/${records.ids.next("recovery")}`, own);
    known.add(runId);
  }
  return {
    repository,
    records,
    kernel,
    engine,
    sandbox,
    agents: (of) => agentsNow({ kernel, io, choice: options.agents, protocol: of }),
    async recordOverride(runId) {
      if (options.unsandboxedReason !== undefined) await recordOverride(records.door, personOf(io), runId, options.unsandboxedReason);
    },
    async drive(runId, driveOptions = {}) {
      // What is no run of its own is refused there, with the reason.
      const info = await engine.run(runId);
      if (info?.parentRunId !== null) return engine.drive(runId);
      await lease.serve(runId);
      tracing?.carry(runId);
      const input = await inputOf(engine, records, runId);
      recorded = "agents" in input ? (input.agents ?? null) : null;
      protocol = info.workflow === features.name ? "features" : "factory";
      if (info.workflow === factory.name || info.workflow === lateChange.name) await shop.codeIndex.assertSearchable();
      own.splice(0, own.length, ...("specs" in input ? input.specs : await featuresOf(records, runId)));
      await recoverOnce(
        runId,
        own.map(({ feature_id }) => feature_id),
      );
      const locks = keepLocksOf(kernel, lease, runId, own, warn);
      const signal = AbortSignal.any([heart.lost, ...(driveOptions.signal === undefined ? [] : [driveOptions.signal])]);
      const outcome = await engine.drive(runId, { ...driveOptions, signal }).finally(locks.stop);
      const run = await engine.run(runId);
      if (run !== undefined && isFinished(run.status)) await recordRunHead(records, runId, await engine.head(runId));
      log.note(runId);
      await Promise.all([log.settle(), told()]);
      return outcome;
    },
    async close() {
      await engine.close();
      shop.language.close();
      await heart.stop();
      await tracing?.close();
      await log.settle();
      // The run's own outcome matters more than this second copy.
      await keepHeads(stateHome, records).catch((error: unknown) =>
        warn(`the journal's heads could not be kept outside: ${error instanceof Error ? error.message : String(error)}`),
      );
      await lease.release();
      await records.close();
    },
  };
}

type RunInput = FeaturesInput | FactoryInput | PartialInput | LateChangeInput;

/** What the run was started with. */
async function inputOf(engine: Engine, { objects }: Records, runId: string): Promise<RunInput> {
  const [started] = await engine.events(runId, 1, 1);
  if (started === undefined) throw new SlipwayError("run_not_found", `There is no run ${runId}.`, { run_id: runId });
  return ((await decodePayload(objects, started)) as unknown as { readonly input: RunInput }).input;
}

/** What has become of a run as features so far. */
async function featuresOf({ database: { db } }: Records, runId: string): Promise<{ feature_id: string }[]> {
  return db.selectFrom("features").select("id as feature_id").where("run_id", ">", `${runId}/`).where("run_id", "<", `${runId}0`).execute();
}

async function recordRunHead({ database: { db }, journal, clock }: Records, runId: string, head: Head): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const known = await tx
      .selectFrom("events")
      .select("seq")
      .where("stream", "=", REPOSITORY_STREAM)
      .where("kind", "=", RUN_HEAD)
      .where("name", "=", runId)
      .executeTakeFirst();
    if (known === undefined) await appendRunHead(journal, tx, runId, head, clock.now());
  });
}
