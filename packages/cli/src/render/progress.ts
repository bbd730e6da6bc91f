import { jsonLine } from "@slipway/protocols/surface/escape";
import type { JournalEvent } from "@slipway/durable/chain";
import type { BoardFeature } from "@slipway/kernel/change/views/board/board";
import { repairIn } from "@slipway/kernel/change/work/repair";
import type { Io } from "@slipway/protocols/surface/io";
import { startedText } from "@slipway/protocols/narration/base-gates";
import type { Line } from "@slipway/protocols/narration/line";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { loadWorkText } from "@slipway/protocols/narration/work-text";
import { loadProtocols, narrateWith } from "@slipway/protocols/all-protocols";
import type { RunView } from "@slipway/protocols/run-view";
import { watchFeatures } from "./watch-features.ts";

export interface ProgressDisplay {
  event(event: JournalEvent): void;
  started(runId: string, step: string): void;
  warn(text: string): void;
  /** The run that is shown. */
  follow(run: FollowedRun): void;
  /** Clears the screen for a prompt; the next event draws again. */
  pause(): void;
  /** Leaves the last drawing on the screen and stops. */
  stop(): void;
}

export interface FollowedRun {
  readonly runId: string;
  /** Its protocol has the words for its events. */
  readonly workflow: string;
  /** Reads the tree of the run, which is shown while the run has no features. */
  readonly view: () => Promise<RunView>;
}

/** The text of an event. */
export type Narrate = (event: JournalEvent) => Line | null;

export type ProgressStyle = "board" | "lines" | "json";

export function styleFor(io: Io, json: boolean): ProgressStyle {
  return json ? "json" : io.terminal ? "board" : "lines";
}

/** A board on a terminal, plain lines in a pipe, JSON lines for programs. */
export async function openProgress(io: Io, style: ProgressStyle): Promise<ProgressDisplay> {
  const workflows = new Map<string, string>();
  const narrate = narrateWith(await loadProtocols(), workflows);
  const follow = ({ runId, workflow }: FollowedRun) => void workflows.set(runId, workflow);
  if (style === "lines") return { ...plainLines(io, narrate), follow };
  const { features, budgets, seen, started, close } = watchFeatures(io.cwd);
  // Loaded on demand: the tables of character widths load slowly, and a pipe needs none.
  const progress =
    style === "json"
      ? jsonLines(io, narrate, features)
      : (await import("./live.ts")).liveBoard(io, narrate, { features, budgets, workText: await loadWorkText() });
  return {
    ...progress,
    follow(run) {
      follow(run);
      progress.follow(run);
    },
    event(event) {
      // Events of the repository do not belong to the shown run.
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

/** Every event, followed by each feature whose dashboard entry changed with it. */
function jsonLines(io: Io, narrate: Narrate, features: () => readonly BoardFeature[]): ProgressDisplay {
  const write = (record: object) => io.out(jsonLine(record));
  const printed = new Map<string, string>();
  const tellChanged = () => {
    for (const feature of features()) {
      const text = JSON.stringify(feature);
      if (printed.get(feature.id) === text) continue;
      printed.set(feature.id, text);
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
    follow: () => undefined,
    pause: tellChanged,
    stop: tellChanged,
  };
}

function plainLines(io: Io, narrate: Narrate): ProgressDisplay {
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
    follow: () => undefined,
    pause: () => undefined,
    stop: () => undefined,
  };
}
