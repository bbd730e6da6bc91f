import type { BudgetGlance, FeatureGlance } from "@slipway/kernel/change/views/board/board";
import type { Io } from "@slipway/protocols/surface/io";
import { boardLines } from "./board.ts";
import { budgetLines } from "./budget.ts";
import { clip } from "./fit.ts";
import type { Line } from "@slipway/protocols/narration/line";
import { startedText } from "@slipway/protocols/narration/base-gates";
import { openScreen } from "../terminal/screen.ts";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";
import type { Narrate, Progress } from "./progress.ts";

const TICK_MS = 100;
/** Seconds pass on the board even when nothing happens. */
const SECOND_MS = 1000;

/** What has happened scrolls by; below it stands the board, and only its changed lines are drawn again. */
export function liveBoard(
  io: Io,
  narrate: Narrate,
  features: () => readonly FeatureGlance[],
  budgets: () => readonly BudgetGlance[] = () => [],
): Progress {
  const { dim, green, red } = paint(io.color);
  const screen = openScreen();
  const told: string[] = [];
  // While a prompt has the screen there is nothing to draw, and nothing must be drawn.
  let state: "drawing" | "paused" | "stopped" = "paused";
  let drawnAt = 0;
  let changed = false;

  const draw = () => {
    changed = false;
    drawnAt = Date.now();
    if (told.length > 0) screen.persist(told.splice(0));
    const shown = features();
    if (shown.length === 0) return;
    const limits = budgetLines(budgets()).map((line) => dim(clip(line, io.columns)));
    const view = { columns: io.columns, lines: Math.max(4, io.rows - 2 - limits.length), color: io.color, now: Date.now() };
    screen.draw(["", ...boardLines(shown, view), ...limits]);
  };
  const timer = setInterval(() => {
    if (state === "drawing" && (changed || Date.now() - drawnAt >= SECOND_MS)) draw();
  }, TICK_MS);
  timer.unref();
  const touch = () => {
    if (state !== "stopped") state = "drawing";
    changed = true;
  };
  // What went wrong is told in full.
  const mark = ({ good, feature, text, more = [] }: Line) => {
    if (good === false) return `${red("✘")} ${feature}: ${text}`;
    const line = [clip(`${feature}: ${text}`, io.columns - 2), ...more.map((row) => clip(`    ${row}`, io.columns))].join("\n");
    return good === true ? `${green("✔")} ${line}` : dim(`• ${line}`);
  };

  return {
    event(event) {
      const line = narrate(event);
      if (line !== null) told.push(mark(line));
      touch();
    },
    started(runId, step) {
      const text = startedText(runId, step);
      if (text !== null) told.push(dim(`• ${clip(text, io.columns - 2)}`));
      touch();
    },
    warn(text) {
      told.push(`warning: ${oneLine(text)}`);
      touch();
    },
    pause() {
      if (state === "drawing") draw();
      screen.done();
      if (state !== "stopped") state = "paused";
    },
    stop() {
      if (state === "stopped") return;
      if (state === "drawing" || told.length > 0) draw();
      state = "stopped";
      clearInterval(timer);
      screen.done();
    },
  };
}
