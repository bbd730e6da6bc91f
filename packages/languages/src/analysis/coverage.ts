/** The lines of a function's body that have code, and those that tests have reached; from 1. */
export interface FunctionLines {
  readonly path: string;
  readonly name: string;
  readonly lines: readonly number[];
  readonly reached: readonly number[];
}

/** A line that one of the runs has reached is reached. All runs are of the same sources. */
export function joinLines(runs: readonly (readonly FunctionLines[])[]): FunctionLines[] {
  const all = new Map<string, FunctionLines>();
  for (const one of runs.flat()) {
    const key = `${one.path}#${one.name}`;
    const reached = new Set([...(all.get(key)?.reached ?? []), ...one.reached]);
    all.set(key, { ...one, reached: one.lines.filter((line) => reached.has(line)) });
  }
  return [...all.values()];
}

/** From 0 to 1; null if there are no lines. */
export function shareReached(functions: readonly FunctionLines[]): number | null {
  const count = (of: (one: FunctionLines) => readonly number[]) => functions.reduce((sum, one) => sum + of(one).length, 0);
  const lines = count((one) => one.lines);
  return lines === 0 ? null : count(({ reached }) => reached) / lines;
}
