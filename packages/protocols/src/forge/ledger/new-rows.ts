import { SlipwayError } from "@slipway/agents/errors";
import { SEVERITIES } from "../schemas/enums.ts";
import {
  markerName,
  type ChecksInput,
  type LedgerDispatchEnd,
  type LedgerDispatchStart,
  type InspectionsInput,
  type MarkerInput,
  type VerdictInput,
} from "./inputs.ts";
import { ledgerTime, reviewTaskId, snippetOf, type CheckRow, type DispatchRow, type NewCheckRow, type NewDispatchRow } from "./rows.ts";
import type { HarnessObservation } from "./write.ts";

const NO_VERDICT = { verdict: null, severity: null } as const;

/** Rows for observations of the harness. Name, result and exit code are the observation's own, whatever the caller says. */
export function checkRows(
  { run_id, feature_id, task_ids, phase, round, checks }: ChecksInput,
  observations: readonly HarnessObservation[],
  ts: string,
): { readonly row: NewCheckRow; readonly source: string }[] {
  const known = new Map(observations.filter((row) => row.feature_id === feature_id).map((row) => [row.id, row]));
  return checks.flatMap(({ check_id, tool, command, output }, index) => {
    const seen = known.get(check_id);
    if (seen === undefined) throw noObservation(check_id, feature_id, index);
    const { name: check_name, exit_code, status } = seen;
    const result = { check_name, tool, command, exit_code, output_snippet: snippetOf(output), passed: status === "pass" ? 1 : 0 } as const;
    return task_ids.map((task_id) => ({ row: { run_id, task_id, phase, ...result, ...NO_VERDICT, round, ts }, source: check_id }));
  });
}

function noObservation(checkId: string, featureId: string, index: number): SlipwayError {
  return new SlipwayError(
    "policy_violation",
    `checks[${index}].check_id: the harness has no check "${checkId}" of the feature "${featureId}". Only executed checks are evidence.`,
    {
      field: `checks[${index}].check_id`,
      check_id: checkId,
      suggested_next_actions: ["Run the command with `features.runCommands` first."],
    },
  );
}

export function inspectionRows({ run_id, task_ids, phase, round, inspections }: InspectionsInput, ts: string): NewCheckRow[] {
  return inspections.flatMap(({ check_name, passed, output }) =>
    task_ids.map((task_id) => ({
      run_id,
      task_id,
      phase,
      check_name,
      tool: "slipway",
      command: null,
      exit_code: null,
      output_snippet: snippetOf(output),
      passed: passed ? 1 : 0,
      ...NO_VERDICT,
      round,
      ts,
    })),
  );
}

/** A row that says what happened. `passed` is 0, so that it is never a signal; the gates do not count it as a failure either. */
export function markerRow(
  { run_id, task_id, round, marker, explanation, command = null, exit_code = null }: MarkerInput,
  ts: string,
): NewCheckRow {
  const check_name = markerName(marker, task_id);
  const output_snippet = snippetOf(explanation);
  return {
    run_id,
    task_id,
    phase: "after",
    check_name,
    tool: "slipway",
    command,
    exit_code,
    output_snippet,
    passed: 0,
    ...NO_VERDICT,
    round,
    ts,
  };
}

export function verdictRow(
  { run_id, feature_slug, scope, reviewer, model, round, verdict, findings_count, summary }: VerdictInput,
  ts: string,
): NewCheckRow {
  const counts = {
    Blocker: findings_count.blocker,
    Critical: findings_count.critical,
    Major: findings_count.major,
    Minor: findings_count.minor,
  };
  return {
    run_id,
    task_id: reviewTaskId(feature_slug, scope),
    phase: "review",
    check_name: `review-${scope}-${reviewer}`,
    tool: model,
    command: "adversarial-review",
    exit_code: null,
    output_snippet: snippetOf(summary),
    passed: verdict === "approve" ? 1 : 0,
    verdict,
    severity: SEVERITIES.find((severity) => counts[severity] > 0) ?? null,
    round,
    ts,
  };
}

export function isSameVerdict(known: CheckRow, row: NewCheckRow): boolean {
  const { tool, verdict, severity, output_snippet } = known;
  return tool === row.tool && verdict === row.verdict && severity === row.severity && output_snippet === row.output_snippet;
}

export function dispatchStarted({ run_id, step, agent, instance }: LedgerDispatchStart, at: number): NewDispatchRow {
  const begun = { completed_at: null, status: "running", dispatch_count: 1, retry_count: 0, notes: null } as const;
  return { run_id, step, agent, instance, started_at: new Date(at).toISOString(), ...begun, ts: ledgerTime(at) };
}

/** The first end of an attempt stands: a repeat changes nothing. A later attempt of the same dispatch takes its place. */
export function dispatchEnded(known: DispatchRow | null, end: LedgerDispatchEnd, at: number): DispatchRow {
  const { step, agent, instance, status, dispatch_count, retry_count, notes } = end;
  if (known === null)
    throw new SlipwayError("policy_violation", `instance: no dispatch ${agent} ${instance} of step ${step} has begun.`, {
      field: "instance",
      suggested_next_actions: ["Record the start of the dispatch first."],
    });
  const isNext = dispatch_count > (known.dispatch_count ?? 1);
  if (known.status === "running" || isNext)
    return { ...known, completed_at: new Date(at).toISOString(), status, dispatch_count, retry_count, notes };
  if (known.status === status) return known;
  throw new SlipwayError(
    "policy_violation",
    `status: ${agent} ${instance} of step ${step} has ended with ${known.status}, not ${status}.`,
    {
      field: "status",
      suggested_next_actions: ["Record another dispatch under an instance of its own."],
    },
  );
}
