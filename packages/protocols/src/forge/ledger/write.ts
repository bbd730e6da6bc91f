import { SlipwayError } from "@slipway/agents/errors";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import type { Tx } from "@slipway/kernel/record/database/tables";
import {
  checksInput,
  dispatchEndInput,
  dispatchStartInput,
  inspectionsInput,
  markerInput,
  verdictInput,
  type ChecksInput,
  type LedgerDispatchEnd,
  type LedgerDispatchStart,
  type InspectionsInput,
  type MarkerInput,
  type VerdictInput,
} from "./inputs.ts";
import type { LedgerStore } from "./ledger-store.ts";
import { ledgerTime, type CheckRow, type DispatchRow } from "./rows.ts";
import { checkRows, dispatchEnded, dispatchStarted, inspectionRows, isSameVerdict, markerRow, verdictRow } from "./new-rows.ts";

/** An observation of the harness, as the kernel recorded it. */
export interface HarnessObservation {
  readonly id: string;
  readonly name: string;
  readonly feature_id: string | null;
  readonly status: "pass" | "fail";
  readonly exit_code: number | null;
}

export type ReadObservations = (tx: Tx, ids: readonly string[]) => Promise<readonly HarnessObservation[]>;

const ROLES = ["orchestrator", "system"] as const;

/** The only writers of the ledger. No tool of an agent reaches them. */
export function ledgerOperations(store: LedgerStore, observations: ReadObservations) {
  const recordChecks: Operation<ChecksInput, undefined, CheckRow[]> = {
    name: "forge.record_checks",
    roles: ROLES,
    input: checksInput,
    async commit(tx, input, _effect, { at }) {
      const seen = await observations(
        tx,
        input.checks.map(({ check_id }) => check_id),
      );
      const added: CheckRow[] = [];
      for (const { row, source } of checkRows(input, seen, ledgerTime(at))) added.push(await store.append(tx, row, source));
      return added;
    },
    event: ({ run_id, task_ids, phase, round }, rows) => ({ run_id, task_ids, phase, round, checks: rows.map(({ id }) => id) }),
  };

  const recordInspections: Operation<InspectionsInput, undefined, CheckRow[]> = {
    name: "forge.record_inspections",
    roles: ROLES,
    input: inspectionsInput,
    async commit(tx, input, _effect, { at }) {
      const added: CheckRow[] = [];
      for (const row of inspectionRows(input, ledgerTime(at))) added.push(await store.append(tx, row, null));
      return added;
    },
    event: ({ run_id, task_ids, phase, round }, rows) => ({ run_id, task_ids, phase, round, checks: rows.map(({ id }) => id) }),
  };

  const recordMarker: Operation<MarkerInput, undefined, CheckRow> = {
    name: "forge.record_marker",
    roles: ROLES,
    input: markerInput,
    commit: (tx, input, _effect, { at }) => store.append(tx, markerRow(input, ledgerTime(at)), null),
    event: ({ run_id, task_id, round, marker }, { id }) => ({ run_id, task_id, round, marker, id }),
  };

  const recordVerdict: Operation<VerdictInput, undefined, CheckRow> = {
    name: "forge.record_verdict",
    roles: ROLES,
    input: verdictInput,
    async commit(tx, input, _effect, { at }) {
      const row = verdictRow(input, ledgerTime(at));
      const known = await store.findVerdict(tx, row);
      if (known === null) return store.append(tx, row, null);
      if (isSameVerdict(known, row)) return known;
      throw new SlipwayError(
        "policy_violation",
        `${row.check_name} has a verdict for round ${row.round} of ${row.task_id} already: ${known.verdict ?? ""}. A verdict is never replaced.`,
        { field: "verdict", check_name: row.check_name, suggested_next_actions: ["Give a new verdict in the next round."] },
      );
    },
    event: ({ run_id, scope, round, reviewer, verdict }, { id }) => ({ run_id, scope, round, reviewer, verdict, id }),
  };

  const beginDispatch: Operation<LedgerDispatchStart, undefined, DispatchRow> = {
    name: "forge.begin_dispatch",
    roles: ROLES,
    input: dispatchStartInput,
    commit: async (tx, input, _effect, { at }) =>
      (await store.findDispatch(tx, input)) ?? store.addDispatch(tx, dispatchStarted(input, at)),
    event: ({ run_id, step, agent, instance }) => ({ run_id, step, agent, instance }),
  };

  const endDispatch: Operation<LedgerDispatchEnd, undefined, DispatchRow> = {
    name: "forge.end_dispatch",
    roles: ROLES,
    input: dispatchEndInput,
    async commit(tx, input, _effect, { at }) {
      const ended = dispatchEnded(await store.findDispatch(tx, input), input, at);
      await store.endDispatch(tx, ended);
      return ended;
    },
    event: ({ run_id, step, agent, instance, status }) => ({ run_id, step, agent, instance, status }),
  };

  return { recordChecks, recordInspections, recordMarker, recordVerdict, beginDispatch, endDispatch };
}
