import type { JournalEvent } from "@slipway/durable/chain";
import { createLogUpdate } from "log-update";
import type { Io } from "../io.ts";
import { narrate, narrateStart, type Line } from "./narrate.ts";
import { paint } from "./paint.ts";
import { oneLine } from "./plain.ts";

export interface Progress {
  event(event: JournalEvent): void;
  started(runId: string, step: string): void;
  warn(text: string): void;
  /** Steps aside for a prompt; the next event draws again. */
  pause(): void;
  /** Leaves what was drawn on the screen and draws no more. */
  stop(): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

export function styleFor(io: Io, json: boolean): "tree" | "lines" | "json" {
  return json ? "json" : io.terminal ? "tree" : "lines";
}

/** A tree that grows on a terminal, plain lines in a pipe, one JSON object a line for programs. */
export function openProgress(io: Io, style: "tree" | "lines" | "json"): Progress {
  if (style === "json") return jsonLines(io);
  return style === "tree" ? tree(io) : plainLines(io);
}

function jsonLines(io: Io): Progress {
  const write = (record: object) => io.out(`${JSON.stringify(record)}\n`);
  return {
    event: ({ stream, seq, kind, name, at }) => write({ event: kind, run: stream, seq, name, at }),
    started: (run, name) => write({ event: "started", run, name }),
    warn: (text) => write({ event: "warning", text }),
    pause: () => undefined,
    stop: () => undefined,
  };
}

function plainLines(io: Io): Progress {
  const tell = ({ feature, text, good }: Line) => io.out(`${good === false ? "x" : good === true ? "+" : "-"} ${feature}: ${text}\n`);
  return {
    event(event) {
      const line = narrate(event);
      if (line !== null) tell(line);
    },
    started: () => undefined,
    warn: (text) => io.err(`warning: ${oneLine(text)}\n`),
    pause: () => undefined,
    stop: () => undefined,
  };
}

interface Branch {
  readonly lines: Line[];
  now: { text: string; since: number } | null;
}

function tree(io: Io): Progress {
  const branches = new Map<string, Branch>();
  const { bold, dim, green, red, cyan } = paint(io.color);
  const update = createLogUpdate(process.stdout, { showCursor: true });
  let frame = 0;
  let stopped = false;

  const branch = (feature: string): Branch => {
    const found = branches.get(feature) ?? { lines: [], now: null };
    branches.set(feature, found);
    return found;
  };
  const mark = (good: boolean | null) => (good === true ? green("✔") : good === false ? red("✘") : dim("•"));
  const clip = (text: string) => (text.length > io.columns - 8 ? `${text.slice(0, io.columns - 9)}…` : text);
  const draw = () => {
    const rows = [...branches].flatMap(([feature, { lines, now }]) => [
      bold(feature),
      ...lines.map(({ text, good }) => `  ${mark(good)} ${clip(text)}`),
      ...(now === null
        ? []
        : [`  ${cyan(FRAMES[frame % FRAMES.length] ?? "")} ${now.text} ${dim(`${Math.floor((Date.now() - now.since) / 1000)} s`)}`]),
    ]);
    update(rows.join("\n"));
  };
  const timer = setInterval(() => {
    frame++;
    // While a prompt has the screen there is nothing to draw, and nothing must be drawn.
    if (branches.size > 0) draw();
  }, FRAME_MS);
  timer.unref();

  return {
    event(event) {
      const line = narrate(event);
      if (line === null || stopped) return;
      const found = branch(line.feature);
      found.lines.push(line);
      found.now = null;
      draw();
    },
    started(runId, step) {
      const start = narrateStart(runId, step);
      if (start !== null) branch(start.feature).now = { text: start.text, since: Date.now() };
    },
    warn: (text) => update.persist(`warning: ${oneLine(text)}`),
    pause() {
      update.done();
      branches.clear();
    },
    stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      for (const found of branches.values()) found.now = null;
      draw();
      update.done();
    },
  };
}
