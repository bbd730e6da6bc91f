import type { BoardFeature } from "@slipway/kernel/change/views/board/board";
import { clip, fit } from "./fit.ts";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { waitText } from "./wait.ts";

export interface BoardView {
  readonly columns: number;
  /** Number of lines available. */
  readonly lines: number;
  readonly color: boolean;
  readonly now: number;
  /** The text of a running step. */
  readonly workText: (step: string) => string;
}

type Colour = Exclude<keyof ReturnType<typeof paint>, "bold">;

interface Column {
  readonly heading: string;
  readonly text: (feature: BoardFeature, view: Pick<BoardView, "now" | "workText">) => string;
  readonly colour?: (feature: BoardFeature) => Colour | null;
  /** Fixed, so that columns do not move during a run; without it, the width of the longest text. */
  readonly width?: number;
}

const GAP = "  ";
const NARROWEST = 8;
/** On a narrower screen the locks are below the board. */
const ROOM_FOR_LOCKS = 100;

const STATUS_COLOURS: Readonly<Record<string, Colour>> = {
  merged: "green",
  ready_to_merge: "cyan",
  blocked: "red",
  failed: "red",
  waiting: "dim",
};

const FEATURE: Column = { heading: "feature", text: ({ id }) => id };
const LOCKS: Column = { heading: "locks", text: ({ locks }) => locks.join(", ") };
const NOW: Column = { heading: "now", text: nowText, colour: ({ waits_for }) => (waits_for === null ? "dim" : "yellow") };
const SHORT: readonly Column[] = [
  { heading: "status", width: 14, text: ({ status }) => status, colour: ({ status }) => STATUS_COLOURS[status] ?? null },
  {
    heading: "gate",
    width: 9,
    text: ({ last_gate: gate }) => (gate === null ? "" : `${gate.mode} ${gate.passed ? "pass" : "fail"}`),
    colour: ({ last_gate: gate }) => (gate?.passed === false ? "red" : "green"),
  },
  { heading: "cost", width: 6, text: ({ cost_usd }) => `$${cost_usd.toFixed(2)}` },
];

/** One line per feature under a heading; no line exceeds the width of the screen. */
export function boardLines(features: readonly BoardFeature[], view: BoardView): string[] {
  const styles = paint(view.color);
  const shown = mostRelevant(features, view.lines);
  const columns = columnsFor(shown, view.columns);
  const holders = features.filter(({ locks }) => locks.length > 0).map(({ id, locks }) => `${id} holds ${locks.join(", ")}`);
  const row = (feature: BoardFeature) =>
    columns.map(({ heading, text, colour, width }) => {
      const chosen = colour?.(feature) ?? null;
      const cell = (heading === NOW.heading ? clip : fit)(text(feature, view), width);
      return chosen === null ? cell : styles[chosen](cell);
    });
  return [
    styles.dim(columns.map(({ heading, width }) => fit(heading, width)).join(GAP)),
    ...shown.map((feature) => row(feature).join(GAP)),
    ...(shown.length === features.length ? [] : [styles.dim(clip(`… and ${features.length - shown.length} more`, view.columns))]),
    ...(columns.some(({ heading }) => heading === "locks") || holders.length === 0
      ? []
      : [clip(`locks: ${holders.join("; ")}`, view.columns)]),
  ].map((line) => line.trimEnd());
}

/** The last column, the current activity, takes the remaining width. */
function columnsFor(features: readonly BoardFeature[], columns: number): (Column & { readonly width: number })[] {
  const room = columns - SHORT.reduce((sum, { width = 0 }) => sum + width + GAP.length, 0);
  const locked = columns >= ROOM_FOR_LOCKS && features.some(({ locks }) => locks.length > 0);
  const natural = ({ heading, text }: Column, share: number) => {
    const longest = Math.max(heading.length, ...features.map((feature) => text(feature, NO_WORK).length));
    return Math.min(longest, Math.max(NARROWEST, Math.floor(room * share)));
  };
  const id = natural(FEATURE, 0.4);
  const locks = locked ? [{ ...LOCKS, width: natural(LOCKS, 0.25) }] : [];
  const left = room - id - GAP.length - locks.reduce((sum, { width }) => sum + width + GAP.length, 0);
  const short = SHORT.map((column) => ({ ...column, width: column.width ?? 0 }));
  return [{ ...FEATURE, width: id }, ...short, ...locks, { ...NOW, width: Math.max(NARROWEST, left) }];
}

const NO_WORK = { now: 0, workText: () => "" };

function nowText(
  { id, at_work, waits_for, merged_as, status, reason }: BoardFeature,
  { now, workText }: Pick<BoardView, "now" | "workText">,
): string {
  // An approved feature may be landing right now.
  if (waits_for !== null && (at_work === null || waits_for.for !== "landing")) return waitText(id, waits_for);
  if (at_work !== null) return workText(at_work.step) + elapsed(now - at_work.since);
  if (merged_as !== null) return `as ${merged_as.slice(0, 10)}`;
  return status === "blocked" || status === "failed" ? oneLine(reason) : "";
}

function elapsed(ms: number): string {
  return ms < 1000 ? "" : ` ${Math.floor(ms / 1000)} s`;
}

const LAST = ["waiting", "failed", "merged"];

/** If not all fit: unfinished ones first, in order; then the rest. */
function mostRelevant(features: readonly BoardFeature[], lines: number): readonly BoardFeature[] {
  // Two more lines: the heading, and the locks or the number of hidden features.
  const room = Math.max(1, lines - 2);
  if (features.length <= room) return features;
  const wanted = features.toSorted((left, right) => LAST.indexOf(left.status) - LAST.indexOf(right.status)).slice(0, room - 1 || 1);
  return features.filter((feature) => wanted.includes(feature));
}
