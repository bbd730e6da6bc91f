import type { ErrorCode, Failure } from "@slipway/durable/errors";
import type { SkillRequest } from "../criticality-run.ts";

/** What the model itself is to blame for. Any other failure is asked about, so that an outage is not measured. */
const OF_THE_MODEL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["agent_output_invalid", "agent_refused", "context_overflow"]);

/** Leaves its function, so that no hint is given and the table escalates. */
const UNUSABLE_BODY = "}\n{";

/** An answer without a valid body counts as a failed attempt: in a benchmark no person is asked to try again. Null to ask one. */
export function unusableAnswer<T>({ schema }: SkillRequest<T>, { code }: Failure): T | null {
  return OF_THE_MODEL.has(code) ? (schema.safeParse({ body: UNUSABLE_BODY }).data ?? null) : null;
}
