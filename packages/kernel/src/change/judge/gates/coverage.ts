/** Covered and total of one metric, counted by the harness from a report. */
export interface Count {
  readonly covered: number;
  readonly total: number;
}

/** Null if the report does not contain a metric. */
export interface CoverageCounts {
  readonly lines: Count | null;
  readonly branches: Count | null;
}

/** Called for each line of a report. */
export type SeeLine = (file: string, line: number, ran: boolean) => void;

export interface TestCounts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function ratioOf(count: Count | null): number | null {
  if (count === null) return null;
  return count.total === 0 ? 1 : count.covered / count.total;
}

export function addCounts(left: Count | null, right: Count | null): Count | null {
  if (left === null || right === null) return left ?? right;
  return { covered: left.covered + right.covered, total: left.total + right.total };
}

const MOST_LOCATIONS = 2_000_000;

/** The best hit count of each location over all records that mention it. */
export class LocationTally {
  readonly #places = new Map<string, Count>();
  readonly #tooMany: () => Error;

  constructor(tooMany: () => Error) {
    this.#tooMany = tooMany;
  }

  see(location: string, covered: number, total: number): void {
    const known = this.#places.get(location);
    this.#places.set(location, { covered: Math.max(known?.covered ?? 0, covered), total: Math.max(known?.total ?? 0, total) });
    if (this.#places.size > MOST_LOCATIONS) throw this.#tooMany();
  }

  /** Null if no location was recorded: nothing measured does not mean everything covered. */
  count(): Count | null {
    let sum: Count | null = null;
    for (const count of this.#places.values()) sum = addCounts(sum, count);
    return sum;
  }
}

/** Parses a non-negative integer. */
export function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
