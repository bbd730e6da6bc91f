import { jsonLine } from "@slipway/protocols/surface/escape";
import type { JournalEvent } from "@slipway/durable/chain";
import type { FeatureGlance } from "@slipway/kernel/change/views/board/board";
import { repairIn } from "@slipway/kernel/change/work/repair";
import type { Io } from "@slipway/protocols/surface/io";
import { startedText } from "@slipway/protocols/narration/base-gates";
import type { Line } from "@slipway/protocols/narration/line";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { loadProtocols, narrateWith } from "@slipway/protocols/all-protocols";
import { watchFeatures } from "./watch-features.ts";

export interface Progress {
  event(event: JournalEvent): void;
  started(runId: string, step: string): void;
  warn(text: string): void;
  /** Steps aside for a prompt; the next event draws again. */
  pause(): void;
  /** Leaves what was drawn on the screen and draws no more. */
  stop(): void;
}

/** What an event says to a person. */
export type Narrate = (event: JournalEvent) => Line | null;

export type Style = "board" | "lines" | "json";

export function styleFor(io: Io, json: boolean): Style {
  return json ? "json" : io.terminal ? "board" : "lines";
}

/** A board on a terminal, plain lines in a pipe, one JSON object a line for programs. */
export async function openProgress(io: Io, style: Style): Promise<Progress> {
  const narrate = narrateWith(await loadProtocols());
  if (style === "lines") return plainLines(io, narrate);
  const { features, budgets, seen, started, close } = watchFeatures(io.cwd);
  // What knows the widths of all characters takes a while to load, and a pipe has none.
  const progress =
    style === "json" ? jsonLines(io, narrate, features) : (await import("./live.ts")).liveBoard(io, narrate, features, budgets);
  return {
    ...progress,
    event(event) {
      // One of the repository's own is no event of the run that is shown.
      if (repairIn(event) === null) seen(event);
      progress.event(event);
    },
    started(runId, step) {
      started(runId, step);
      progress.started(runId, step);
    },
    stop() {
      progress.stop();
      close();
    },
  };
}

/** Every event as it is, and after it every feature whose line on the dashboard has changed with it. */
function jsonLines(io: Io, narrate: Narrate, features: () => readonly FeatureGlance[]): Progress {
  const write = (record: object) => io.out(jsonLine(record));
  const told = new Map<string, string>();
  const tellChanged = () => {
    for (const feature of features()) {
      const text = JSON.stringify(feature);
      if (told.get(feature.id) === text) continue;
      told.set(feature.id, text);
      write({ event: "feature", feature });
    }
  };
  return {
    event(event) {
      const { stream, seq, kind, name, at } = event;
      const repair = repairIn(event);
      if (repair !== null) return write({ event: "repaired", run: repair.run, feature: repair.feature_id, at, done: repair.done });
      write({ event: kind, run: stream, seq, name, at, ...narrate(event)?.data });
      tellChanged();
    },
    started: (run, name) => write({ event: "started", run, name }),
    warn: (text) => write({ event: "warning", text }),
    pause: tellChanged,
    stop: tellChanged,
  };
}

function plainLines(io: Io, narrate: Narrate): Progress {
  return {
    event(event) {
      const line = narrate(event);
      if (line === null) return;
      io.out(`${line.good === false ? "x" : line.good === true ? "+" : "-"} ${line.feature}: ${line.text}\n`);
      for (const row of line.more ?? []) io.out(`    ${row}\n`);
    },
    started(runId, step) {
      const text = startedText(runId, step);
      if (text !== null) io.out(`- ${text}\n`);
    },
    warn: (text) => io.err(`warning: ${oneLine(text)}\n`),
    pause: () => undefined,
    stop: () => undefined,
  };
}
