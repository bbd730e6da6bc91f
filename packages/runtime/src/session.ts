import type { JournalEvent } from "@slipway/durable/chain";
import type { DriveOptions } from "@slipway/durable/drive";
import type { Engine } from "@slipway/durable/engine";
import type { Outcome } from "@slipway/durable/outcome";
import type { AskTrust } from "@slipway/kernel/config/trust/trust";
import { openRunLog } from "@slipway/kernel/budget/run-log/run-log";
import { layoutOf } from "@slipway/kernel/host/layout";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { secretsOf } from "@slipway/kernel/host/redaction/secrets";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import type { Kernel } from "@slipway/kernel/kernel";
import { openRepositoryContext } from "@slipway/kernel/open";
import { openRecords } from "@slipway/kernel/open-records";
import type { DoorEvent } from "@slipway/kernel/record/operations/door";
import { openRunLease } from "@slipway/kernel/record/run-lease/lease";
import type { Records } from "@slipway/kernel/record/storage";
import { migrateProtocols } from "@slipway/protocols/all-protocols";
import type { RunAgents } from "@slipway/protocols/dispatch/run-agents";
import type { AgentChoice } from "./agents.ts";
import { personOf, type Caller } from "@slipway/protocols/surface/caller";
import { supervise } from "./supervise.ts";
import { tellRepairs } from "./tell-repairs.ts";

/** For the progress display and the kill suite. */
export interface Hooks {
  readonly observe?: (event: JournalEvent) => void;
  readonly onStepStart?: (runId: string, step: string) => void;
  readonly onOperation?: (event: DoorEvent) => void;
  readonly onWarning?: (text: string) => void;
}

export interface SessionOptions extends Hooks {
  readonly io: Caller;
  readonly agents: AgentChoice;
  readonly unsandboxedReason?: string | undefined;
  /** How a person is asked whether they trust the configuration; without it, one that is not trusted is refused. */
  readonly askTrust?: AskTrust | undefined;
}

/** Everything that a command needs to drive runs. */
export interface Session {
  readonly records: Records;
  readonly kernel: Kernel;
  readonly engine: Engine;
  /** Opened and tested on first use. */
  readonly sandbox: () => Promise<Sandbox>;
  /** The agent of each role, from the command line, the environment and agents.yaml. */
  readonly agents: (protocol: string) => Promise<RunAgents>;
  /** Records in the run who allowed gates without a sandbox, and why. Does nothing without such a reason. */
  recordOverride(runId: string): Promise<void>;
  /** Refuses a choice of agents that cannot work, before anything is recorded. */
  assertAgents(protocol: string): Promise<void>;
  /** Records a run as `YYYY-MM-DD_slug`, with a number if that id exists, and returns its id. */
  start(workflow: string, slug: string, input: unknown): Promise<string>;
  /** Drives a run. When it has finished, records its last head in the repository's stream. */
  drive(runId: string, options?: DriveOptions): Promise<Outcome>;
  close(): Promise<void>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const { io } = options;
  const reason = options.unsandboxedReason;
  const repositoryContext = await openRepositoryContext({
    cwd: io.cwd,
    env: io.env,
    askTrust: options.askTrust,
    ...(reason === undefined ? {} : { unsandboxed: { reason, by: personOf(io).id } }),
  });
  const layout = layoutOf(repositoryContext.repository);
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
    records,
    redactor: createRedactor({ secrets: secretsOf(io.env) }),
    onWarning: options.onWarning ?? (() => undefined),
  });
  const repairs = tellRepairs(
    () => records,
    (event) => options.observe?.(event),
  );
  const lease = openRunLease(records);
  try {
    // Take the lease before touching anything: another supervisor may be at work.
    await lease.take(null);
    await migrateProtocols(records.database);
    return await supervise({ ...options, repositoryContext, records, lease, log, repairsShown: repairs.settled });
  } catch (error) {
    await lease.release();
    await records.close();
    throw error;
  }
}
