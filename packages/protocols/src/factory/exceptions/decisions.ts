import { SlipwayError } from "@slipway/agents/errors";
import { storePaths } from "../artifacts/layout.ts";
import type { DocumentKind } from "@slipway/kernel/record/documents/kind";
import { z } from "zod";
import type { TaskChange } from "../project/changes.ts";

const nonEmpty = z.string().regex(/\S/, "must not be empty");

/** A person's answer to an exception: one of three. */
export const exceptionDecision = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("APPROVE_CHANGE"), rationale: z.string().optional() }),
  z.strictObject({
    decision: z.literal("REJECT_CHANGE"),
    reason: nonEmpty,
    afterwards: z.enum(["REQUEUE", "STAY_HALTED"]).describe("Build it within the existing contract, or wait for another resolution."),
  }),
  z.strictObject({ decision: z.literal("DEFER"), note: z.string().optional() }),
]);
export type ExceptionDecision = z.output<typeof exceptionDecision>;

export const EXCEPTION_STATUSES = ["RAISED", "DEFERRED", "APPROVED", "NOT_AGREED", "REJECTED", "RESOLVED"] as const;
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number];

/** NOT_AGREED: the debate ended without agreement, and a person decides again. */
export const EXCEPTION_TRANSITIONS: Readonly<Record<ExceptionStatus, readonly ExceptionStatus[]>> = {
  RAISED: ["APPROVED", "REJECTED", "DEFERRED"],
  DEFERRED: ["APPROVED", "REJECTED", "DEFERRED"],
  APPROVED: ["RESOLVED", "NOT_AGREED"],
  NOT_AGREED: ["APPROVED", "REJECTED", "DEFERRED"],
  REJECTED: [],
  RESOLVED: [],
};

const entry = z.strictObject({ status: z.enum(EXCEPTION_STATUSES), at: z.iso.datetime({ offset: true }), by: nonEmpty, note: z.string() });

/** The history of an exception, one line per decision. The exception itself never changes. */
export const decisionLog = z.strictObject({ exception_id: z.string().regex(/^ICE-[0-9a-f]{8}$/), entries: z.array(entry) });
export type DecisionLog = z.output<typeof decisionLog>;

export const decisionLogKind: DocumentKind<DecisionLog> = {
  kind: "interface change decisions",
  prefix: null,
  idField: "exception_id",
  schema: decisionLog,
  fixity: "revised",
  files: (id, { entries }) => ({ [storePaths.exceptionDecisions(id)]: entries.map((one) => `${JSON.stringify(one)}\n`).join("") }),
};

export function statusOf({ entries }: DecisionLog): ExceptionStatus {
  return entries.at(-1)?.status ?? "RAISED";
}

/** Appends a line, if the transition is allowed. */
export function noted(log: DecisionLog, line: z.output<typeof entry>): DecisionLog {
  const from = statusOf(log);
  if (EXCEPTION_TRANSITIONS[from].includes(line.status)) return { ...log, entries: [...log.entries, line] };
  throw new SlipwayError("invalid_status_transition", `${log.exception_id} is ${from} and cannot become ${line.status}.`, {
    exception_id: log.exception_id,
    from,
    to: line.status,
    suggested_next_actions: [
      EXCEPTION_TRANSITIONS[from].length === 0
        ? "It is closed; resolve the halted task by one of the six resolutions."
        : "Wait for the debate on it to end.",
    ],
  });
}

export interface Decided {
  readonly status: ExceptionStatus;
  readonly note: string;
  /** The change of the halted task; null while the change is debated or deferred. */
  readonly change: TaskChange | null;
  /** Whether the debate starts now. */
  readonly resolve: boolean;
}

/** The meaning of an answer. Pure: the caller applies the change and starts the debate. */
export function decided(decision: ExceptionDecision, task: string): Decided {
  switch (decision.decision) {
    case "APPROVE_CHANGE":
      return { status: "APPROVED", note: decision.rationale ?? "", change: null, resolve: true };
    case "REJECT_CHANGE": {
      const change: TaskChange | null = decision.afterwards === "REQUEUE" ? { kind: "requeue", task, by: "REJECT_CHANGE" } : null;
      return { status: "REJECTED", note: decision.reason, change, resolve: false };
    }
    case "DEFER":
      return { status: "DEFERRED", note: decision.note ?? "", change: null, resolve: false };
  }
}
