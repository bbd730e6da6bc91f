import type { Call } from "@slipway/kernel/record/operations/call";
import type { Door } from "@slipway/kernel/record/operations/door";
import type { Db } from "@slipway/kernel/record/database/tables";
import type { GateQuestion } from "./gates.ts";
import type { ChecksInput, LedgerDispatchEnd, LedgerDispatchStart, InspectionsInput, MarkerInput, VerdictInput } from "./inputs.ts";
import type { LedgerStore, TaskRound } from "./ledger-store.ts";
import { snippetOf } from "./rows.ts";
import { SQL_STORE } from "./sql-store.ts";
import { ledgerOperations, type ReadObservations } from "./write.ts";
import { YAML_STORE } from "./yaml-store.ts";

const LEDGER_STORES: Readonly<Record<LedgerStore["kind"], LedgerStore>> = { sqlite: SQL_STORE, yaml: YAML_STORE };

export interface LedgerDependencies {
  readonly db: Db;
  readonly door: Door;
  /** Rows of the kernel's `checks`, read in the operation's own transaction. */
  readonly observations: ReadObservations;
}

/** The evidence of a run. Both kinds take the same writes and give the same answers. */
export function openForgeLedger({ db, door, observations }: LedgerDependencies, kind: LedgerStore["kind"]) {
  const store = LEDGER_STORES[kind];
  const operations = ledgerOperations(store, observations);
  return {
    kind,
    recordChecks: ({ actor, operationId }: Call, input: ChecksInput) =>
      door.perform(operations.recordChecks, actor, operationId, { ...input, checks: input.checks.map(withSnippet) }),
    recordInspections: ({ actor, operationId }: Call, input: InspectionsInput) =>
      door.perform(operations.recordInspections, actor, operationId, { ...input, inspections: input.inspections.map(withSnippet) }),
    recordMarker: ({ actor, operationId }: Call, input: MarkerInput) =>
      door.perform(operations.recordMarker, actor, operationId, { ...input, explanation: snippetOf(input.explanation) }),
    recordVerdict: ({ actor, operationId }: Call, input: VerdictInput) =>
      door.perform(operations.recordVerdict, actor, operationId, { ...input, summary: snippetOf(input.summary) }),
    beginDispatch: ({ actor, operationId }: Call, input: LedgerDispatchStart) =>
      door.perform(operations.beginDispatch, actor, operationId, input),
    endDispatch: ({ actor, operationId }: Call, input: LedgerDispatchEnd) =>
      door.perform(operations.endDispatch, actor, operationId, input),
    assertRecorded: (runId: string) => store.assertRecorded(db, runId),
    rows: (runId: string) => store.rows(db, runId),
    gate: (question: GateQuestion) => store.gate(db, question),
    async gates(questions: readonly GateQuestion[]) {
      const results = [];
      for (const question of questions) results.push(await store.gate(db, question));
      return results;
    },
    evidence: (task: Pick<TaskRound, "run_id" | "task_id">) => store.evidence(db, task),
    counts: (round: TaskRound) => store.counts(db, round),
    regressions: (round: TaskRound) => store.regressions(db, round),
    knownFailures: (round: TaskRound) => store.knownFailures(db, round),
    telemetry: (runId: string) => store.telemetry(db, runId),
  };
}

/** An operation's input must be valid Unicode, which the output of a process need not be. */
function withSnippet<T extends { readonly output: string }>(check: T): T {
  return { ...check, output: snippetOf(check.output) };
}

export type ForgeLedger = ReturnType<typeof openForgeLedger>;
