import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "@slipway/durable/engine";
import { isFinished } from "@slipway/durable/status";
import { chooseRun } from "../choose.ts";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withReader } from "../reader.ts";
import { answerCommand } from "../render/questions.ts";
import { openProgress, styleFor, type Progress } from "../render/progress.ts";

const POLL_MS = 250;

/** Follows somebody else's run through the journal; it never takes the run over. */
export const run: RunCommand = (args, io) =>
  withReader(io, async ({ engine, records }) => {
    const progress = openProgress(io, styleFor(io, args.flag("json")));
    const { runId } = await chooseRun(engine, args.positionals[0], [
      "pending",
      "running",
      "waiting",
      "stopped",
      "completed",
      "failed",
      "cancelled",
    ]);
    const seen = new Map<string, number>();
    for (;;) {
      await tellNew(engine, runId, seen, progress);
      const now = await chooseRun(engine, runId);
      if (isFinished(now.status) || now.status === "waiting" || now.status === "stopped") {
        progress.stop();
        const questions = now.status === "waiting" ? await records.inbox.listOpen() : [];
        if (args.flag("json"))
          io.out(`${JSON.stringify({ run: runId, status: now.status, next: questions.map((question) => answerCommand(question)) })}\n`);
        else
          for (const line of [
            `run ${runId} is ${now.status}`,
            ...questions.map((question) => `  ${question.title}: ${answerCommand(question)}`),
          ])
            io.out(`${line}\n`);
        return now.status === "completed" ? EXIT.done : isFinished(now.status) ? EXIT.failed : EXIT.personNeeded;
      }
      await sleep(POLL_MS);
    }
  });

async function tellNew(engine: Engine, rootRunId: string, seen: Map<string, number>, progress: Progress): Promise<void> {
  const streams = (await engine.runs({ rootRunId })).map(({ runId }) => runId);
  const fresh = await Promise.all(streams.map((stream) => engine.events(stream, (seen.get(stream) ?? 0) + 1)));
  for (const event of fresh.flat().toSorted((left, right) => left.at - right.at || left.seq - right.seq)) {
    seen.set(event.stream, event.seq);
    progress.event(event);
  }
}
