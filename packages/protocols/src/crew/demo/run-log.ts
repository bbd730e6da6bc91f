import { runRecordSchema, type RunLogRecord } from "../prompts/run-record.ts";

export function readRunLog(text: string): RunLogRecord[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => runRecordSchema.parse(JSON.parse(line)));
}

/** Every state in the order in which the session was in it. */
export function statesIn(log: readonly RunLogRecord[]): string[] {
  const all = log.flatMap(({ state, next_state_hint: next }) => [state, ...(next === null ? [] : [next])]);
  return all.filter((state, index) => state !== all[index - 1]);
}

/** Dispatches whose answer counts. */
export function dispatchesIn(log: readonly RunLogRecord[]): number {
  return log.reduce((count, { dispatch }) => count + dispatch.length, 0);
}
