import type { ExceptionView } from "../views/escalations.ts";
import { paint } from "../../surface/paint.ts";
import { oneLine } from "../../narration/one-line.ts";

export function exceptionLine({ exception, status, question }: ExceptionView, color: boolean): string {
  const { bold } = paint(color);
  const { exception_id, target_module, type, reason } = exception;
  return `${bold(exception_id)} ${status.padEnd(10)} ${type} ${target_module}: ${oneLine(reason)}${question === null ? "" : " (waits for you)"}`;
}

const CLOSED: readonly ExceptionView["status"][] = ["REJECTED", "RESOLVED"];

/** Everything about one exception, and how to decide it. */
export function exceptionLines(view: ExceptionView, color: boolean): string[] {
  const { dim } = paint(color);
  const { exception, status, decisions, task_id, escalation_id } = view;
  const { exception_id, raised_by, evidence, proposed_contract_delta, compatibility_expectation, urgency } = exception;
  const changes = Object.entries(proposed_contract_delta).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return [
    exceptionLine(view, color),
    `  raised by ${raised_by.role} (${raised_by.artifact_ref})${task_id === null ? "" : ` for ${task_id}, ${escalation_id}`}`,
    `  ${compatibility_expectation}, ${urgency}`,
    ...evidence.map((line) => `  evidence: ${oneLine(line)}`),
    "  the contract would change:",
    ...changes.map(([name, value]) => `    ${name}: ${JSON.stringify(value)}`),
    ...decisions.map(({ status: became, at, by, note }) => `  ${became} by ${by}, ${at}${note === "" ? "" : `: ${oneLine(note)}`}`),
    ...(CLOSED.includes(status)
      ? ["  Closed."]
      : [
          "    APPROVE_CHANGE  debate the changed contract; if agreed, build a new version that supersedes the old one",
          "    REJECT_CHANGE   keep the contract; build the task within it (--stay-halted: leave the task halted)",
          "    DEFER           leave it open; it can be decided at any time",
          dim(`  → slipway factory ice ${exception_id} APPROVE_CHANGE --comment '…'`),
        ]),
  ];
}
