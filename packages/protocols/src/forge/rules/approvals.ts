import { z } from "zod";
import { GATES, type GateId } from "../router/actions.ts";
import { APPROVAL_MODES, STEPS, type ApprovalMode } from "../router/state.ts";
import { RISKS, type Risk } from "../schemas/enums.ts";
import { count, line, text, time } from "../schemas/fields.ts";
import type { ForgePlan } from "../schemas/plan.ts";

const MAX_LABEL = 50;
const option = z.object({ id: line, label: line.max(MAX_LABEL), description: text, is_default: z.boolean() });

export const approvalRequestSchema = z.object({
  gate_id: line,
  pipeline_step: z.enum(STEPS),
  question: line,
  context: text.refine((context) => [2, 3].includes(sentences(context)), "has 2 or 3 sentences"),
  options: z
    .array(option)
    .min(2)
    .refine((options) => options.filter(({ is_default }) => is_default).length === 1, "has exactly one default")
    .refine((options) => new Set(options.map(({ id }) => id)).size === options.length, "has no id twice"),
  metadata: z.object({ risk_summary: text, findings_count: count, elapsed_time: line }),
});
export type AskedApproval = z.output<typeof approvalRequestSchema>;

export const approvalLogEntrySchema = z.object({
  gate_id: line,
  timestamp: time,
  mode: z.enum(APPROVAL_MODES),
  selected_option: line,
  auto_selected: z.boolean(),
  user_response_raw: z.string().optional(),
});
export type ApprovalLogEntry = z.output<typeof approvalLogEntrySchema>;

const choice = (id: string, label: string, description: string, is_default = false) => ({ id, label, description, is_default });

const OPTIONS: Readonly<Record<GateId, AskedApproval["options"]>> = {
  "gate-post-research": [
    choice("proceed", "Go on to the specification", "The research is accepted as it is.", true),
    choice("expand", "Research more", "The researchers run again with additional focus areas."),
    choice("abort", "Stop the run", "The run ends. The research outputs stay."),
  ],
  "gate-post-planning": [
    choice("approve", "Approve and implement", "Implementation starts with these tasks and risks.", true),
    choice("revise", "Ask for another plan", "The planner gets your feedback and plans again."),
    choice("abort", "Stop the run", "The run ends. All outputs up to the plan stay."),
  ],
};

export interface ResearchResult {
  readonly focus: string;
  readonly findings: readonly { readonly title: string }[];
}

const SHOWN_TITLES = 3;

export function postResearchRequest(research: readonly ResearchResult[], planned: number, elapsedMs: number): AskedApproval {
  const titles = research.flatMap(({ findings }) => findings.map(({ title }) => phrase(title)));
  const context = [
    `${research.length} of ${planned} researchers gave results on ${research.map(({ focus }) => focus).join(", ") || "nothing"}.`,
    `They have ${titles.length} findings${titles.length === 0 ? "" : `, among them: ${titles.slice(0, SHOWN_TITLES).join("; ")}`}.`,
  ];
  return request(
    "gate-post-research",
    "The research is complete. How should the run go on?",
    context,
    "not classified yet",
    titles.length,
    elapsedMs,
  );
}

export function postPlanningRequest({ tasks, waves, overall_risk_summary }: ForgePlan, elapsedMs: number): AskedApproval {
  const files = tasks.flatMap(({ relevant_context }) => relevant_context.files_to_modify);
  const total = (risk: Risk) => files.filter((file) => file.risk === risk).length;
  const large = tasks.filter(({ size }) => size === "Large").length;
  const critical = [...new Set(files.filter(({ risk }) => risk === "🔴").map(({ path }) => phrase(path)))];
  const context = [
    `The plan has ${counted(tasks.length, "task")} in ${counted(waves.length, "wave")} with ${RISKS.map((risk) => `${total(risk)} ${risk}`).join(", ")} files.`,
    `Verification: ${tasks.length - large} at standard depth, ${large} at large depth.`,
    ...(critical.length === 0 ? [] : [`Warning: these 🔴 files are critical: ${critical.join(", ")}.`]),
  ];
  return request("gate-post-planning", "The plan is complete. Approve it?", context, overall_risk_summary, 0, elapsedMs);
}

/** The decision at a gate as it is logged. In autonomous mode it is the default, and nobody was asked. */
export function approvalLogEntry(
  asked: AskedApproval,
  timestamp: string,
  answer: { readonly mode: "autonomous" } | { readonly mode: "interactive"; readonly option: string; readonly raw: string },
): ApprovalLogEntry {
  const { gate_id } = asked;
  if (answer.mode === "autonomous")
    return { gate_id, timestamp, mode: answer.mode, selected_option: defaultOption(asked), auto_selected: true };
  return { gate_id, timestamp, mode: answer.mode, selected_option: answer.option, auto_selected: false, user_response_raw: answer.raw };
}

export function defaultOption({ options }: AskedApproval): string {
  return options.find(({ is_default }) => is_default)?.id ?? "";
}

/** Whether a gate waits for a person. */
export function isAsked(mode: ApprovalMode): boolean {
  return mode === "interactive";
}

function request(
  gate_id: GateId,
  question: string,
  context: readonly string[],
  risk_summary: string,
  findings_count: number,
  elapsedMs: number,
): AskedApproval {
  const metadata = { risk_summary, findings_count, elapsed_time: elapsed(elapsedMs) };
  return { gate_id, pipeline_step: GATES[gate_id], question, context: context.join(" "), options: OPTIONS[gate_id], metadata };
}

function sentences(text: string): number {
  return text.split(/[.!?](?=\s|$)/).filter((part) => part.trim() !== "").length;
}

/** A text of a role inside one sentence of ours. */
function phrase(text: string): string {
  return text
    .replaceAll(/[.!?](?=\s|$)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function elapsed(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
