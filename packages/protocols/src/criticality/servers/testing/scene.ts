import { openScratchKernel, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { Records } from "@slipway/kernel/record/storage";
import { callTool } from "@slipway/kernel/tools/dispatch";
import { DOCUMENT_DEFINITIONS } from "@slipway/kernel/tools/documents";
import { failureSchema, type FailureEnvelope } from "@slipway/kernel/tools/envelope";
import { serve } from "@slipway/kernel/tools/published-tool";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import { onTestFinished } from "vitest";
import { OPEN_SESSION, type ServerSession } from "../../../tool-server.ts";
import { initialState } from "../../machine/states.ts";
import { NO_ARTIFACTS, type RunArtifacts } from "../../run-artifacts.ts";
import { writeCheckpoint } from "../../store.ts";
import { CRITICALITY_TABLES } from "../../tables.ts";

/** A repository with a committed program, and the tools of a server over it. */
export interface ServerScene {
  readonly scratch: ScratchKernel;
  /** The data of a call that must succeed. */
  ok<T = Record<string, unknown>>(name: string, input?: object): Promise<T>;
  /** The error of a call that must fail. */
  refused(name: string, input?: object, signal?: AbortSignal): Promise<FailureEnvelope["error"]>;
  /** The same repository with another session. */
  as(session: Partial<ServerSession>): Omit<ServerScene, "scratch" | "as">;
  /** What the journal's events of this operation say. */
  recorded(name: string): Promise<unknown[]>;
}

export async function openScene(
  load: (session: ServerSession) => readonly AnyTool[],
  files: Readonly<Record<string, string>>,
): Promise<ServerScene> {
  const scratch = await openScratchKernel(files, sandboxWorksHere() ? { sandbox: await openSandbox() } : {});
  onTestFinished(() => scratch.close());
  const { database } = scratch.records;
  await migrateOwner(database.db, database.sqlite.path, CRITICALITY_TABLES);

  const as = (session: Partial<ServerSession>) => {
    const tools = load({ ...OPEN_SESSION, env: { PATH: process.env["PATH"] }, ...session });
    const served = {
      byName: new Map(tools.map((one) => [one.name as string, serve(one)])),
      failure: failureSchema,
      documents: DOCUMENT_DEFINITIONS,
    };
    const credential = { role: "orchestrator", actorId: null, feature: null } as const;
    const call = (name: string, input: object, signal?: AbortSignal) =>
      callTool(scratch.kernel, served, credential, name, input, {
        ...(signal === undefined ? {} : { signal: () => signal }),
        onBug: (error) => {
          throw error;
        },
      });
    return {
      async ok<T>(name: string, input: object = {}): Promise<T> {
        const answer = await call(name, input);
        if (!answer.ok) throw new Error(`${name} failed: ${JSON.stringify(answer.error)}`);
        return answer.data as T;
      },
      async refused(name: string, input: object = {}, signal?: AbortSignal) {
        const answer = await call(name, input, signal);
        if (answer.ok) throw new Error(`${name} was not refused: ${JSON.stringify(answer.data)}`);
        return answer.error;
      },
      async recorded(name: string) {
        const events = await database.db.selectFrom("events").select("payload").where("name", "=", name).execute();
        return events.map(({ payload }) => (JSON.parse(String(payload)) as { event: unknown }).event);
      },
    };
  };
  return { scratch, as, ...as({}) };
}

/** Records a run with these artifacts, as a checkpoint does. */
export async function recordRun(
  records: Records,
  runId: string,
  status: "running" | "completed",
  artifacts: Partial<RunArtifacts> = {},
): Promise<void> {
  await records.database.db
    .insertInto("runs")
    .values({
      run_id: runId,
      root_run_id: runId,
      parent_run_id: null,
      workflow: "criticality",
      version: "1",
      input_digest: "x",
      status,
      created_at: 1,
      finished_at: null,
      pruned_at: null,
      epoch: 0,
      lease_engine: null,
      lease_host: null,
      lease_pid: null,
      lease_process_start: null,
      lease_until: null,
      crashes: 0,
      crash_mark: 0,
      request: null,
      request_reason: null,
      request_by: null,
    })
    .execute();
  const call = { actor: { type: "orchestrator", id: "test" } as const, operationId: `${runId}/checkpoint` };
  await writeCheckpoint(records.door, call, {
    run_id: runId,
    project: "bounds",
    at: "ignition.interviewing",
    state: JSON.stringify(initialState("2026-11-18T10:00:00.000Z")),
    telemetry: "{}",
    artifacts: JSON.stringify({ ...NO_ARTIFACTS, ...artifacts }),
  });
}
