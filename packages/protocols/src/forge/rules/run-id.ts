/** The time a run started, in UTC and whole seconds: `2026-02-26T14:30:00Z`. */
export function runIdAt(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, "Z");
}

/** For tags and folders: git refuses a colon in a tag, and Windows in a path. */
export function runIdInNames(runId: string): string {
  return runId.replaceAll(":", "-");
}

export function baselineTag(runId: string): string {
  return `pipeline-baseline-${runIdInNames(runId)}`;
}
