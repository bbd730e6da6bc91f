/** Covered and total of one metric, counted by the harness from a report. */
export interface Count {
  readonly covered: number;
  readonly total: number;
}

/** Null where the report says nothing about a metric. */
export interface CoverageCounts {
  readonly lines: Count | null;
  readonly branches: Count | null;
}

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

const MOST_PLACES = 2_000_000;

/** How often one place was reached, over all records that mention it: the best one counts. */
export class PlaceTally {
  readonly #places = new Map<string, Count>();
  readonly #tooMany: () => Error;

  constructor(tooMany: () => Error) {
    this.#tooMany = tooMany;
  }

  see(place: string, covered: number, total: number): void {
    const known = this.#places.get(place);
    this.#places.set(place, { covered: Math.max(known?.covered ?? 0, covered), total: Math.max(known?.total ?? 0, total) });
    if (this.#places.size > MOST_PLACES) throw this.#tooMany();
  }

  /** Null when no place was ever seen: nothing measured is not everything covered. */
  count(): Count | null {
    let sum: Count | null = null;
    for (const count of this.#places.values()) sum = addCounts(sum, count);
    return sum;
  }
}

/** A whole number from a report, not below zero. */
export function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
