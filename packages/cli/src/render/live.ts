import type { BoardBudget, BoardFeature } from "@slipway/kernel/change/views/board/board";
import type { Io } from "@slipway/protocols/surface/io";
import { boardLines } from "./board.ts";
import { budgetLines } from "./budget.ts";
import { clip } from "./fit.ts";
import { runTreeLines } from "./run-tree.ts";
import type { RunView } from "@slipway/protocols/run-view";
import type { Line } from "@slipway/protocols/narration/line";
import { startedText } from "@slipway/protocols/narration/base-gates";
import { openScreen } from "../terminal/screen.ts";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";
import type { Narrate, ProgressDisplay } from "./progress.ts";

const TICK_MS = 100;
/** Durations on the board change every second. */
const SECOND_MS = 1000;

export interface BoardSource {
  readonly features: () => readonly BoardFeature[];
  readonly budgets: () => readonly BoardBudget[];
  /** The text of a running step. */
  readonly workText: (step: string) => string;
}

/** Past events scroll by above the board; only changed lines of the board are redrawn. */
export function liveBoard(io: Io, narrate: Narrate, { features, budgets, workText }: BoardSource): ProgressDisplay {
  const { dim, green, red } = paint(io.color);
  const screen = openScreen();
  const pastLines: string[] = [];
  // Must not draw while a prompt uses the screen.
  let state: "drawing" | "paused" | "stopped" = "paused";
  let drawnAt = 0;
  let changed = false;

  const draw = () => {
    changed = false;
    drawnAt = Date.now();
    if (pastLines.length > 0) screen.persist(pastLines.splice(0));
    const shown = features();
    if (shown.length === 0) return drawTree();
    const limits = budgetLines(budgets()).map((line) => dim(clip(line, io.columns)));
    const view = { columns: io.columns, lines: Math.max(4, io.rows - 2 - limits.length), color: io.color, now: Date.now(), workText };
    screen.draw(["", ...boardLines(shown, view), ...limits]);
  };
  // A run that has no features yet, such as a project at its tasks, is shown as its tree.
  let view: RunView | null = null;
  let readView: (() => Promise<RunView>) | null = null;
  let reading = false;
  const drawTree = () => {
    if (view !== null && view.nodes.length > 1)
      screen.draw(["", ...runTreeLines(view, false, Date.now()).map((line) => clip(line, io.columns))].slice(0, Math.max(4, io.rows - 2)));
    if (reading || readView === null) return;
    reading = true;
    // The tree is a convenience: an error here must not end the run that is shown.
    readView()
      .then((read) => (view = read))
      .catch(() => undefined)
      .finally(() => (reading = false));
  };
  const timer = setInterval(() => {
    if (state === "drawing" && (changed || Date.now() - drawnAt >= SECOND_MS)) draw();
  }, TICK_MS);
  timer.unref();
  const touch = () => {
    if (state !== "stopped") state = "drawing";
    changed = true;
  };
  // Failures are never cut.
  const mark = ({ good, feature, text, more = [] }: Line) => {
    if (good === false) return `${red("✘")} ${feature}: ${text}`;
    const line = [clip(`${feature}: ${text}`, io.columns - 2), ...more.map((row) => clip(`    ${row}`, io.columns))].join("\n");
    return good === true ? `${green("✔")} ${line}` : dim(`• ${line}`);
  };

  return {
    event(event) {
      const line = narrate(event);
      if (line !== null) pastLines.push(mark(line));
      touch();
    },
    started(runId, step) {
      const text = startedText(runId, step);
      if (text !== null) pastLines.push(dim(`• ${clip(text, io.columns - 2)}`));
      touch();
    },
    follow({ view: read }) {
      readView = read;
    },
    warn(text) {
      pastLines.push(`warning: ${oneLine(text)}`);
      touch();
    },
    pause() {
      if (state === "drawing") draw();
      screen.done();
      if (state !== "stopped") state = "paused";
    },
    stop() {
      if (state === "stopped") return;
      if (state === "drawing" || pastLines.length > 0) draw();
      state = "stopped";
      clearInterval(timer);
      screen.done();
    },
  };
}
