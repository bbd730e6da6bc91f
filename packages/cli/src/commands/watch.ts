import { jsonLine } from "@slipway/protocols/surface/escape";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "@slipway/durable/engine";
import { systemHost } from "@slipway/durable/host";
import type { Outcome } from "@slipway/durable/outcome";
import type { RunInfo } from "@slipway/durable/runs";
import { isFinished, type RunStatus } from "@slipway/durable/status";
import { repairsOf } from "@slipway/kernel/change/work/repair";
import { REPOSITORY_STREAM } from "@slipway/kernel/record/journal/repository";
import type { Records } from "@slipway/kernel/record/storage";
import { chooseRun } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import { nextSteps } from "../drive-run.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { withReader, type RunReader } from "@slipway/runtime/reader";
import { runResult } from "@slipway/runtime/run-result";
import { runView } from "@slipway/runtime/run-view";
import { openProgress, styleFor, type ProgressDisplay } from "../render/progress.ts";

const POLL_MS = 250;
/** Grace time for a newly recorded run to be claimed by its process. */
const UNOWNED_MS = 5000;
const ANY: readonly RunStatus[] = ["pending", "running", "waiting", "stopped", "completed", "failed", "cancelled"];

/** Follows another process's run through the journal; never takes it over. */
export const run: RunCommand = (args, io) =>
  withReader(io, async ({ engine, records }) => {
    const json = args.flag("json");
    const progress = await openProgress(io, styleFor(io, json));
    const { runId, workflow } = await chooseRun(engine, args.positionals[0], ANY);
    progress.follow({ runId, workflow, view: () => runView({ engine, records }, runId) });
    const lastSeq = new Map<string, number>();
    for (;;) {
      // Read the status first: then all events that led to it are in the journal, and are printed before it.
      const now = await chooseRun(engine, runId);
      while (await tellNew(engine, records, runId, lastSeq, progress));
      const abandoned = isAbandoned(now, records.clock.now());
      if (abandoned || isFinished(now.status) || now.status === "waiting" || now.status === "stopped") {
        progress.stop();
        return abandoned ? tellAbandoned(io, json, now) : tellResult(io, json, { engine, records }, now);
      }
      await sleep(POLL_MS);
    }
  });

/** False if there were no new events. */
async function tellNew(
  engine: Engine,
  records: Records,
  rootRunId: string,
  lastSeq: Map<string, number>,
  progress: ProgressDisplay,
): Promise<boolean> {
  const streams = (await engine.runs({ rootRunId })).map(({ runId }) => runId);
  const after = (stream: string) => lastSeq.get(stream) ?? 0;
  const news = streams.map((stream) => engine.events(stream, after(stream) + 1));
  const fresh = (await Promise.all([...news, repairsOf(records, rootRunId, after(REPOSITORY_STREAM))])).flat();
  for (const event of fresh.toSorted((left, right) => left.at - right.at || left.seq - right.seq)) {
    lastSeq.set(event.stream, event.seq);
    progress.event(event);
  }
  return fresh.length > 0;
}

/** Its process has died, so no event will follow. */
function isAbandoned({ status, holder, createdAt }: RunInfo, now: number): boolean {
  if (status === "pending") return now - createdAt > UNOWNED_MS;
  if (status !== "running" || holder === null) return false;
  return now >= holder.expiresAt || systemHost().isDead({ ...holder, startedAt: "" });
}

function tellAbandoned(io: Io, json: boolean, { runId, status }: RunInfo): ExitCode {
  const command = `slipway resume ${runId}`;
  if (json) io.out(jsonLine({ run: runId, status, abandoned: true, next: [command] }));
  else io.out(`run ${runId} is ${status}, but no process drives it any more\n  Continue it: ${command}\n`);
  return EXIT.personNeeded;
}

async function tellResult(io: Io, json: boolean, { engine, records }: RunReader, { runId, status, workflow }: RunInfo): Promise<ExitCode> {
  const next = status === "waiting" ? await nextSteps(records, runId) : [];
  // `drive` on a finished run only reads its outcome.
  const outcome: Outcome = isFinished(status) ? await engine.drive(runId) : outcomeOf(status);
  const { code, lines } = await runResult(runId, workflow, outcome, next);
  if (json) io.out(jsonLine({ run: runId, status, abandoned: false, next: next.map(({ command }) => command) }));
  else for (const line of [`run ${runId} is ${status}`, ...lines]) io.out(`${line}\n`);
  return code;
}

function outcomeOf(status: RunStatus): Outcome {
  return status === "waiting" ? { status, questions: [] } : { status: "stopped", reason: "by a person or a signal" };
}
