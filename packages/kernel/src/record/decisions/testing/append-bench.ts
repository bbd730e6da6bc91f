import { openBench } from "../../operations/testing/door.ts";
import { openDecisions } from "../decisions.ts";

export interface AppendTiming {
  readonly entries: number;
  readonly msPerAppend: number;
}

const MEASURED = 50;

/**
 * Appends up to the highest of `sizes` entries to one scope, each with a dependency, and returns the median of the last appends before
 * each size. Commits are relaxed, so that the disk's fsync does not hide a slow query.
 */
export async function appendBench(sizes: readonly number[] = [100, 10_000, 100_000]): Promise<AppendTiming[]> {
  const bench = await openBench();
  const decisions = openDecisions({ db: bench.db, door: bench.door.relaxed });
  const timings: AppendTiming[] = [];
  const last: number[] = [];
  let previous: string | null = null;
  try {
    for (let count = 1; count <= Math.max(...sizes); count++) {
      const draft = { constraint: `constraint ${count}`, category: "data_model", source: "bench", phase: "bench" };
      const call = { actor: { type: "system", id: "bench" } as const, operationId: `append ${count}` };
      const before = performance.now();
      const added = await decisions.append(call, "repository", {
        ...draft,
        confidence: "inferred",
        dependencies: previous === null ? [] : [previous],
      });
      last.push(performance.now() - before);
      if (last.length > MEASURED) last.shift();
      // Short chains: a long one is the cascade's business.
      previous = count % 10 === 0 ? null : added.id;
      if (sizes.includes(count)) timings.push({ entries: count, msPerAppend: median(last) });
    }
    return timings;
  } finally {
    await bench.close();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? Number.NaN;
}
