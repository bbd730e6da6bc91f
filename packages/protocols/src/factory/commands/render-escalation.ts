import type { EscalationView } from "../views/escalations.ts";
import { paint } from "../../surface/paint.ts";
import { oneLine } from "../../narration/one-line.ts";

const MOST_LINES = 12;

/** The failure, a summary of the debate, and what each answer would do. */
export function escalationLines({ escalation, state, resolutions, blocks }: EscalationView, color: boolean): string[] {
  const { bold, dim } = paint(color);
  const { escalation_id, task_id, created_at, minimal_decision_required, failed_invariants, resolution_context, debate_trail } = escalation;
  return [
    `${bold(escalation_id)} ${task_id} ${dim(`halted ${created_at}`)}`,
    `  ${oneLine(minimal_decision_required)}`,
    ...(failed_invariants.length === 0 ? [] : ["  what failed:"]),
    ...failed_invariants.map(({ invariant, evidence }) => `    ${oneLine(invariant)}: ${oneLine(evidence)}`),
    ...shortened(resolution_context),
    `  debate: ${inWords(debate_trail)}${debate_trail.proposals.length === 0 ? "" : ` (slipway factory debate ${task_id})`}`,
    ...(blocks.length === 0 ? [] : [`  waiting for it: ${blocks.join(", ")}`]),
    ...(escalation.resolutions ?? []).map(({ action, by, at }) => `  answered: ${action} by ${by}, ${at}`),
    ...(state === "resolved" ? ["  Resolved: no answer is needed."] : []),
    ...(state === "answered" ? ["  Answered: `slipway resume` applies it."] : []),
    ...(state !== "asked"
      ? []
      : [
          ...(resolutions.some(({ action }) => action === escalation.recommended_resolution)
            ? [`  recommended: ${escalation.recommended_resolution}`]
            : []),
          ...resolutions.map(({ action, does }) => `    ${action.padEnd(16)} ${does}`),
          dim(`  → slipway factory resolve ${escalation_id} ACTION --comment '…'   (or --json-file FILE)`),
        ]),
  ];
}

function shortened(text: string): string[] {
  const lines = text.trim().split("\n");
  if (lines[0] === "") return [];
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES).map((line) => `    ${line}`), ...(more > 0 ? [`    … ${more} more lines (--json has all)`] : [])];
}

function inWords({ proposals, challenges, adjudications }: EscalationView["escalation"]["debate_trail"]): string {
  if (proposals.length === 0) return "none";
  const all = [
    counted(proposals.length, "proposal"),
    counted(challenges.length, "challenge"),
    counted(adjudications.length, "adjudication"),
  ];
  return all.join(", ");
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
