import type { Engine } from "@slipway/durable/engine";
import { openEngine } from "@slipway/durable/engine";
import { SlipwayError } from "./errors.ts";
import { decodePayload } from "@slipway/durable/payload";
import { isFinished } from "@slipway/durable/status";
import { openTracing } from "@slipway/agents/telemetry/tracing";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import { recordOverride } from "@slipway/kernel/change/judge/sandbox-override";
import type { RunLog } from "@slipway/kernel/budget/run-log/run-log";
import { makePrivateFolder } from "@slipway/kernel/host/files/private-folder";
import { openKernel } from "@slipway/kernel/kernel";
import type { RepositoryContext } from "@slipway/kernel/open";
import { assertNotRolledBack, keepHeads } from "@slipway/kernel/record/journal/heads";
import { recordRunHead } from "@slipway/kernel/record/journal/run-head";
import type { RunLease } from "@slipway/kernel/record/run-lease/lease";
import type { Records } from "@slipway/kernel/record/storage";
import { restoreFiles } from "@slipway/kernel/restore-files";
import type { ProtocolEntry, Services } from "@slipway/protocols/protocol";
import { loadProtocols } from "@slipway/protocols/all-protocols";
import { protocolOf } from "@slipway/protocols/protocols";
import { recover } from "@slipway/protocols/change/recovery";
import type { RunAgents } from "@slipway/protocols/dispatch/run-agents";
import { agentsNow, assertAgents, dispatcherFor } from "./agents.ts";
import { personOf, placesOf } from "@slipway/protocols/surface/caller";
import { keepLease, keepLocksOf } from "./keep-leases.ts";
import { keepReminding, tellingInbox, tellOutcome } from "./notifications.ts";
import type { Session, SessionOptions } from "./session.ts";

export interface Supervision extends SessionOptions {
  readonly repositoryContext: RepositoryContext;
  readonly records: Records;
  readonly lease: RunLease;
  readonly log: RunLog;
  /** Resolves when all repairs so far are shown. */
  readonly repairsShown: () => Promise<void>;
}

/** The run that this process drives. */
interface CurrentRun {
  readonly protocol: ProtocolEntry;
  /** The agents that were recorded when it began. */
  readonly agents: RunAgents | null;
  /** Its features; a release is added in the course of the run. */
  readonly features: { readonly feature_id: string }[];
}

/** Opens the session of the process that holds the lease. */
export async function supervise(options: Supervision): Promise<Session> {
  const { io, repositoryContext, records, lease, log, repairsShown } = options;
  const { sandbox } = repositoryContext;
  const { stateHome } = placesOf(io);
  const warn = options.onWarning ?? (() => undefined);
  // Worktrees, layers and packs need this folder; fail now instead of in the first step.
  makePrivateFolder(stateHome);
  await repositoryContext.reconcile();
  await assertNotRolledBack(stateHome, records);
  const kernel = openKernel({ ...repositoryContext, records });
  await restoreFiles(records, io.env, warn);
  await kernel.features.restoreProjections();
  let current: CurrentRun | null = null;
  const tracing = await openTracing(io.env, warn);
  const dispatcher = dispatcherFor({
    kernel,
    io,
    choice: options.agents,
    protocol: () => current?.protocol.name ?? "",
    recorded: () => current?.agents ?? null,
    tracing,
    onWarning: warn,
  });
  const protocols = await loadProtocols();
  const engine = await openEngine({
    sqlite: records.database.sqlite,
    blobs: records.objects,
    clock: records.clock,
    ids: records.ids,
    inbox: tellingInbox(records.inbox, kernel.notifier),
    workflows: protocols.flatMap(({ started }) => started),
    observe(event) {
      options.observe?.(event);
      log.note(event.stream);
      const feature_id = /^[^/]+\/feature:([^/]+)$/.exec(event.stream)?.[1];
      const known = current?.features ?? [];
      if (feature_id !== undefined && known.every((one) => one.feature_id !== feature_id)) known.push({ feature_id });
    },
    ...(options.onStepStart === undefined ? {} : { onStepStart: options.onStepStart }),
  });
  const opened = new Map<string, Services>();
  async function servicesOf({ name, load }: ProtocolEntry): Promise<Services> {
    const services = opened.get(name) ?? (await load()).open({ kernel, dispatcher, env: io.env });
    opened.set(name, services);
    return services;
  }
  const heartbeat = keepLease(lease);
  const reminders = keepReminding(kernel.notifier);
  const recovered = new Set<string>();
  async function recoverOnce(runId: string, own: readonly string[]): Promise<void> {
    const begun = (await engine.run(runId))?.status !== "pending";
    if (begun && !recovered.has(runId)) await recover(kernel, `${runId}/${records.ids.next("recovery")}`, own);
    recovered.add(runId);
  }
  async function noteOverride(runId: string): Promise<void> {
    if (options.unsandboxedReason !== undefined) await recordOverride(records.door, personOf(io), runId, options.unsandboxedReason);
  }
  return {
    records,
    kernel,
    engine,
    sandbox,
    agents: (of) => agentsNow({ kernel, io, choice: options.agents, protocol: of }),
    assertAgents: (of) => assertAgents({ kernel, io, choice: options.agents, protocol: of }),
    recordOverride: noteOverride,
    async start(workflow, slug, input) {
      const runId = await freeRunId(engine, records.clock.now(), slug);
      await engine.start(workflow, input, { runId });
      await noteOverride(runId);
      return runId;
    },
    async drive(runId, driveOptions = {}) {
      // `engine.drive` refuses an unknown run or a child with the reason.
      const info = await engine.run(runId);
      if (info?.parentRunId !== null) return engine.drive(runId);
      await lease.serve(runId);
      tracing?.carry(runId);
      const { agents = null, specs } = await inputOf(engine, records, runId);
      const features = specs ?? (await recordedFeatures(records).ofRun(runId)).map((feature_id) => ({ feature_id }));
      current = { protocol: protocolOf(info.workflow), agents, features: [...features] };
      const services = await servicesOf(current.protocol);
      await services.ready?.(info.workflow, runId);
      await recoverOnce(
        runId,
        features.map(({ feature_id }) => feature_id),
      );
      const locks = keepLocksOf(kernel, lease, runId, current.features, warn);
      const signal = AbortSignal.any([heartbeat.lost, ...(driveOptions.signal === undefined ? [] : [driveOptions.signal])]);
      const outcome = await engine.drive(runId, { ...driveOptions, signal, services: services.workflows }).finally(locks.stop);
      const run = await engine.run(runId);
      if (run !== undefined && isFinished(run.status)) await recordRunHead(records, runId, await engine.head(runId));
      await tellOutcome(kernel.notifier, records.clock, runId, outcome);
      log.note(runId);
      await Promise.all([log.settle(), repairsShown()]);
      return outcome;
    },
    async close() {
      await engine.close();
      for (const { close } of opened.values()) await close?.();
      await reminders.stop();
      // Before the lease ends: outcomes are written under it.
      await kernel.notifier.settle();
      await heartbeat.stop();
      await tracing?.close();
      await log.settle();
      // Only a warning: the run's outcome matters more than this second copy.
      await keepHeads(stateHome, records).catch((error: unknown) =>
        warn(`the journal's heads could not be stored outside the repository: ${error instanceof Error ? error.message : String(error)}`),
      );
      await lease.release();
      await records.close();
    },
  };
}

/** `YYYY-MM-DD_slug`, with a number if that id exists. */
async function freeRunId(engine: Engine, now: number, slug: string): Promise<string> {
  const day = new Date(now).toISOString().slice(0, 10);
  for (let number = 1; ; number++) {
    const runId = `${day}_${slug}${number === 1 ? "" : `-${number}`}`;
    if ((await engine.run(runId)) === undefined) return runId;
  }
}

/** The parts of a run's input that are common to all protocols. */
interface RunInput {
  readonly agents?: RunAgents;
  readonly specs?: readonly { readonly feature_id: string }[];
}

async function inputOf(engine: Engine, { objects }: Records, runId: string): Promise<RunInput> {
  const [started] = await engine.events(runId, 1, 1);
  if (started === undefined) throw new SlipwayError("run_not_found", `There is no run ${runId}.`, { run_id: runId });
  return ((await decodePayload(objects, started)) as unknown as { readonly input: RunInput }).input;
}
