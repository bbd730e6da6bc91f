import { featureOf, type Contest } from "./contest.ts";
import { startSide } from "./side.ts";
import { median } from "./statistics.ts";

/** The peer's name for the run of all those calls. */
export const FLAT_RUN = "flat";
const OURS = 10_000;
const THEIRS = 2_000;
const EDGE = 500;
const DASHBOARDS = 100;
const NOTE = { feature_id: featureOf(5), note: "A note of ordinary length, as a worker leaves one after every step of its work." } as const;

interface Flatness {
  readonly calls: number;
  readonly edge: number;
  readonly first: number;
  readonly last: number;
}

export interface Flat {
  readonly ours: Flatness;
  readonly theirs: Flatness | null;
  /** Our dashboard before and after all those operations. */
  readonly dashboard: { readonly before: number; readonly after: number };
  readonly bytesAfter: number;
}

/**
 * The same cheap mutating call, many times: measures whether the history makes it slower. Ours in a new process, to see what accumulates.
 */
export async function benchFlat(contest: Contest): Promise<Flat> {
  await contest.open("growing", { run: FLAT_RUN });
  const side = startSide("ours.ts");
  await side.open(contest.rootOf("growing"));
  await side.repeat(EDGE, "feature.log_append", NOTE);
  const before = await side.repeat(DASHBOARDS, "report.dashboard");
  const ours = edges(await side.repeat(OURS, "feature.log_append", NOTE), EDGE);
  const after = await side.repeat(DASHBOARDS, "report.dashboard");
  const bytesAfter = await side.memoryBytes();
  await side.close();
  const theirs = contest.theirs === null ? null : edges(await contest.theirs.repeat(THEIRS, "feature.log_append", NOTE), EDGE / 5);
  return { ours, theirs, dashboard: { before: median(before), after: median(after) }, bytesAfter };
}

function edges(times: readonly number[], edge: number): Flatness {
  return { calls: times.length, edge, first: median(times.slice(0, edge)), last: median(times.slice(-edge)) };
}
