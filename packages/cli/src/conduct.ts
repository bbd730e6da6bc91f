import { jsonLine } from "./terminal/escape.ts";
import type { Outcome } from "@slipway/durable/outcome";
import { openQuestionsOf, questionNumbers } from "./choose.ts";
import { endingOf } from "./endings.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { nextActions } from "./next-actions.ts";
import { answerAtTerminal } from "./prompt.ts";
import { keepReminding } from "./reminders.ts";
import { oneLine } from "./render/one-line.ts";
import { answerCommand } from "./render/questions.ts";
import type { Progress } from "./render/progress.ts";
import type { Session } from "./session.ts";

export interface Conduct {
  readonly session: Session;
  readonly runId: string;
  readonly io: Io;
  readonly json: boolean;
  readonly progress: Progress;
}

/** Drives a run until it ends or only a person can move it. On a terminal that person is asked right here. */
export async function conduct({ session, runId, io, json, progress }: Conduct): Promise<ExitCode> {
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

async function tell({ records }: Session, runId: string, outcome: Outcome, io: Io, json: boolean): Promise<ExitCode> {
  const questions = outcome.status === "waiting" ? await openQuestionsOf(records, runId) : [];
  const numbers = await questionNumbers(records);
  const next = questions.map((question) => ({
    title: oneLine(question.title),
    command: answerCommand(question, `Q${numbers.get(question.id)}`),
  }));
  if (json) io.out(jsonLine({ run: runId, ...outcome, ...(next.length > 0 ? { next } : {}) }));
  else for (const line of inWords(runId, outcome, next)) io.out(`${line}\n`);
  return exitCode(outcome);
}

function exitCode(outcome: Outcome): ExitCode {
  if (outcome.status === "waiting" || outcome.status === "stopped") return EXIT.personNeeded;
  if (outcome.status !== "completed") return EXIT.failed;
  return endingOf(outcome.value).done ? EXIT.done : EXIT.failed;
}

function inWords(runId: string, outcome: Outcome, next: readonly { title: string; command: string }[]): string[] {
  switch (outcome.status) {
    case "completed":
      return endingOf(outcome.value).lines;
    case "waiting":
      return [
        "A person is needed:",
        ...next.map(({ title, command }) => `  ${title}\n    ${command}`),
        "Then continue with `slipway resume`.",
      ];
    case "stopped":
      return [`Run ${runId} is stopped (${outcome.reason}). Nothing is lost; continue with \`slipway resume\`.`];
    case "cancelled":
      return [`Run ${runId} was cancelled: ${outcome.reason}`];
    case "failed":
      return [
        `Run ${runId} failed: ${outcome.failure.code}: ${outcome.failure.message}`,
        ...nextActions(outcome.failure).map((action) => `  next: ${action}`),
      ];
  }
}
