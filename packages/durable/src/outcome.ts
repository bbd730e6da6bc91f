import { SlipwayError, type Failure } from "./errors.ts";
import type { OpenAsk, Parts } from "./execution.ts";
import { eventByKey } from "./journal.ts";
import { OUTCOME } from "./names.ts";
import { brokenJournal, decodePayload } from "./payload.ts";
import type { RecordedEvent } from "./replay.ts";
import type { RunRow } from "./tables.ts";

/** The result of driving a run. */
export type Outcome =
  | Finished
  | { readonly status: "waiting"; readonly questions: readonly OpenAsk[] }
  | { readonly status: "stopped"; readonly reason: string };

/** The final result of a run. */
export type Finished =
  | { readonly status: "completed"; readonly value: unknown }
  | { readonly status: "failed"; readonly failure: Failure }
  | { readonly status: "cancelled"; readonly reason: string };

/** Reads the outcome of a finished run from its journal; a pruned run has it in its tombstone. */
export async function readOutcome({ sqlite, blobs }: Parts, { run_id, status }: RunRow): Promise<Finished> {
  const event = await eventByKey(sqlite, run_id, OUTCOME);
  if (event === undefined) throw brokenJournal(run_id, { seq: 0, reason: "gap", message: "The event that ended the run is missing." });
  const { value, failure, ["reason"]: reason } = (await decodePayload(blobs, event)) as unknown as RecordedEvent;
  if (status === "cancelled") return { status, reason: String(reason) };
  return failure === undefined ? { status: "completed", value } : { status: "failed", failure };
}

export function cancelledError(runId: string, reason: string): SlipwayError {
  return new SlipwayError("run_cancelled", `Run ${runId} was cancelled: ${reason}`, { run_id: runId, reason });
}
