import { jsonLine } from "@slipway/protocols/surface/escape";
import { existsSync } from "node:fs";
import type { FeatureBoard, BoardRun } from "@slipway/kernel/change/views/board/board";
import { findLayout, readBoard } from "@slipway/kernel/open-board";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import type { Surface } from "@slipway/protocols/surface/surface";
import { boardLines } from "../render/board.ts";
import { budgetLines } from "../render/budget.ts";
import { answerCommand } from "../render/questions.ts";
import { continueCommand } from "../continue-command.ts";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";

export const run: RunCommand = async (args, io) => {
  const [named] = args.positionals;
  if (named !== undefined) return showRun(named, args.flag("json"), io);
  const board = await readBoard(findLayout(io.cwd));
  io.out(args.flag("json") ? jsonLine(board) : `${lines(board, io, await workTexts(board)).join("\n")}\n`);
  return EXIT.done;
};

/** Loads the step texts only if a step is running, because `status` must start fast. */
async function workTexts({ features }: FeatureBoard): Promise<(step: string) => string> {
  if (features.every(({ at_work }) => at_work === null)) return (step) => step;
  return (await import("@slipway/protocols/narration/work-text")).loadWorkText();
}

/** One run as a tree. Imported lazily, because the board must start fast; and unlike the board it opens the records for writing. */
async function showRun(named: string, json: boolean, surface: Surface): Promise<ExitCode> {
  const [{ runView }, { runTreeLines }] = await Promise.all([import("@slipway/runtime/run-view"), import("../render/run-tree.ts")]);
  return surface.reader(async (reader) => {
    const view = await runView(reader, named);
    surface.out(json ? jsonLine(view) : `${runTreeLines(view, surface.color, Date.now()).join("\n")}\n`);
    return EXIT.done;
  });
}

/** Without a terminal no line is cut. */
const NO_SCREEN = 1000;

function lines({ features, runs, questions, budgets, notifications }: FeatureBoard, io: Io, workText: (step: string) => string): string[] {
  const { bold, dim } = paint(io.color);
  if (features.length === 0 && runs.length === 0)
    return ["Nothing has run here yet. Start with `slipway run SPEC.md`, or look around with `slipway doctor`."];
  const columns = io.terminal ? io.columns : NO_SCREEN;
  const view = { columns, lines: Number.POSITIVE_INFINITY, color: io.color, now: Date.now(), workText };
  const reasons = features
    .filter(({ status }) => status === "blocked" || status === "failed")
    .map(({ id, status, reason, run: of }) => {
      const workflow = runs.find((run) => run.id === of.split("/")[0])?.protocol;
      return dim(`${id}: ${oneLine(reason)}${status === "failed" ? ` → ${continueCommand(id, workflow)}` : ""}`);
    });
  const approved = features.filter(({ waits_for }) => waits_for?.for === "landing");
  const waiting = questions.map(
    (question) => `Q${question.number} ${oneLine(question.title)}  ${dim(`→ ${answerCommand(question, `Q${question.number}`)}`)}`,
  );
  const [latest] = runs;
  return [
    ...(features.length === 0 ? [] : boardLines(features, view)),
    ...reasons,
    ...budgetLines(budgets).map((line) => dim(line)),
    ...notifications.map(({ event, channel, reason }) => dim(`notification (${event}) to ${oneLine(channel)} failed: ${oneLine(reason)}`)),
    ...(waiting.length === 0 ? [] : ["", bold("Waiting for a person"), ...waiting]),
    ...approved.map(({ id }) => `${id} is approved  ${dim(`→ slipway merge ${id}`)}`),
    ...(latest === undefined ? [] : [...(features.length === 0 ? [] : [""]), dim(runLine(latest, features.length === 0))]),
  ];
}

/** A run without features, such as a project that works on its tasks, has only its tree to show. */
function runLine(run: BoardRun, hasOnlyTree: boolean): string {
  return `run ${run.id} ${statusText(run)}${hasOnlyTree ? `  → slipway status ${run.id}` : ""}`;
}

/** The row of a killed run still says running, so check that its process is alive. */
function statusText({ status, owner_pid: pid }: BoardRun): string {
  if (pid === null) return `is ${status}`;
  if (existsSync("/proc/self") && !existsSync(`/proc/${pid}`))
    return `was cut off (process ${pid} is gone); continue with \`slipway resume\``;
  return `is ${status} (process ${pid})`;
}
