import { jsonLine } from "@slipway/protocols/surface/escape";
import type { Outcome } from "@slipway/durable/outcome";
import { openQuestionsOf } from "@slipway/runtime/choose";
import type { ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { answerAtTerminal } from "./prompt.ts";
import { keepReminding } from "./reminders.ts";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { answerCommand } from "./render/questions.ts";
import type { ProgressDisplay } from "./render/progress.ts";
import { runResult, type NextStep } from "@slipway/runtime/run-result";
import { runView } from "@slipway/runtime/run-view";
import type { Session } from "@slipway/runtime/session";

export interface DriveRun {
  readonly session: Session;
  readonly runId: string;
  readonly io: Io;
  readonly json: boolean;
  readonly progress: ProgressDisplay;
}

/** Drives a run until it ends or needs a person. On a terminal the person is asked here. */
export async function driveRun({ session, runId, io, json, progress }: DriveRun): Promise<ExitCode> {
  const workflow = (await session.engine.run(runId))?.workflow ?? "";
  progress.follow({ runId, workflow, view: () => runView(session, runId) });
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error("interrupted at the keyboard"));
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    for (;;) {
      const reminders = keepReminding(session, runId, progress.warn);
      const outcome = await session.drive(runId, { whenWaiting: "return", signal: interrupted.signal }).finally(reminders.stop);
      if (outcome.status === "waiting" && io.interactive && !json) {
        progress.pause();
        if (await answerAtTerminal(session, runId, io)) continue;
      }
      progress.stop();
      return await tell(session, runId, outcome, io, json);
    }
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

async function tell({ records, engine }: Session, runId: string, outcome: Outcome, io: Io, json: boolean): Promise<ExitCode> {
  const next = outcome.status === "waiting" ? await nextSteps(records, runId) : [];
  const { code, lines } = await runResult(runId, (await engine.run(runId))?.workflow ?? "", outcome, next);
  if (json) io.out(jsonLine({ run: runId, ...outcome, ...(next.length > 0 ? { next } : {}) }));
  else for (const line of lines) io.out(`${line}\n`);
  return code;
}

/** The open questions of a run, each with a command that answers it. */
export async function nextSteps(records: Session["records"], runId: string): Promise<NextStep[]> {
  const numbers = await records.inbox.numbers();
  return (await openQuestionsOf(records, runId)).map((question) => ({
    title: oneLine(question.title),
    command: answerCommand(question, `Q${numbers.get(question.id)}`),
  }));
}
