/** One thing that happened in a run, in words. `good` is null when it is neither good nor bad. */
export interface Line {
  /** Of which feature, task or other part of the run. */
  readonly feature: string;
  readonly text: string;
  readonly good: boolean | null;
  /** Below it, each on a line of its own. */
  readonly more?: readonly string[];
  /** For programs that read the events, besides what every event has. */
  readonly data?: Readonly<Record<string, unknown>>;
}
