import { featureOf, type Contest } from "./contest.ts";
import { median } from "./statistics.ts";

const OURS = 10_000;
const THEIRS = 2_000;
const EDGE = 500;
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

/** The same cheap mutating call, many times over: does what came before make it dearer? */
export async function benchFlat(contest: Contest): Promise<Flat> {
  await contest.open("growing", { run: "flat" });
  const before = await contest.ours.repeat(50, "report.dashboard");
  const ours = edges(await contest.ours.repeat(OURS, "feature.log_append", NOTE), EDGE);
  const after = await contest.ours.repeat(50, "report.dashboard");
  const bytesAfter = await contest.ours.memoryBytes();
  const theirs = contest.theirs === null ? null : edges(await contest.theirs.repeat(THEIRS, "feature.log_append", NOTE), EDGE / 5);
  return { ours, theirs, dashboard: { before: median(before), after: median(after) }, bytesAfter };
}

function edges(times: readonly number[], edge: number): Flatness {
  return { calls: times.length, edge, first: median(times.slice(0, edge)), last: median(times.slice(-edge)) };
}
