import { z } from "zod";
import { APPROVALS_FILE } from "../files.ts";
import { callOf, timeOf } from "../forge-run.ts";
import type { ForgeProgress } from "../progress.ts";
import { routeGate } from "../router/route.ts";
import type { RouteAction, GateId } from "../router/actions.ts";
import {
  approvalLogEntry,
  approvalLogEntrySchema,
  approvalRequestSchema,
  defaultOption,
  isAsked,
  type ApprovalLogEntry,
  type AskedApproval,
} from "../rules/approvals.ts";
import { recordedYaml, yamlText } from "../schemas/yaml.ts";

export interface GateChoice {
  readonly action: RouteAction;
  readonly option: string;
  readonly comment: string | null;
}

/** An approval gate: a person chooses in interactive mode, the default holds otherwise. Either is logged. */
export async function askGate(progress: ForgeProgress, asked: AskedApproval, round: number): Promise<GateChoice> {
  const { run } = progress;
  const request = approvalRequestSchema.parse(asked);
  const gate = request.gate_id as GateId;
  const answer = isAsked(run.ref.mode) ? await askPerson(progress, request, round) : null;
  const step = `approval:${gate}:${round}`;
  const at = await timeOf(run, step);
  await run.ctx.step(step, async () => {
    const given =
      answer === null ? ({ mode: "autonomous" } as const) : ({ mode: "interactive", option: answer.decision, raw: answer.raw } as const);
    await appendToLog(progress, step, approvalLogEntry(request, at, given));
  });
  const option = answer?.decision ?? defaultOption(request);
  const action = routeGate(gate, option);
  if (action === null) throw new TypeError(`The gate ${gate} has no option ${option}.`);
  progress.go(action);
  return { action, option, comment: answer?.comment ?? null };
}

async function askPerson(
  { run }: ForgeProgress,
  { gate_id, pipeline_step, question, context, options, metadata }: AskedApproval,
  round: number,
) {
  const ids = options.map(({ id }) => id) as [string, ...string[]];
  const { risk_summary, findings_count, elapsed_time } = metadata;
  const answer = await run.ctx.ask(`${gate_id}:${round}`, {
    kind: "forge_gate",
    title: `${run.id}, step ${pipeline_step}: ${question}`,
    body: [context, `Risk: ${risk_summary}. Findings: ${findings_count}. Elapsed: ${elapsed_time}.`].join("\n"),
    options: options.map(({ id, label, description, is_default }) => ({
      value: id,
      label: `${label}${is_default ? " (default)" : ""}: ${description}`,
    })),
    schema: z.strictObject({ decision: z.enum(ids), comment: z.string().optional() }),
    context: { feature_id: run.id, gate_id, pipeline_step, metadata },
    answerableBy: ["person"],
  });
  return { ...answer, raw: JSON.stringify(answer) };
}

const logSchema = z.object({ approval_log: z.array(approvalLogEntrySchema) });

async function appendToLog({ run }: ForgeProgress, step: string, entry: ApprovalLogEntry): Promise<void> {
  const text = await run.files.text(APPROVALS_FILE);
  // What a person answers has no limit.
  const before = text === null ? [] : recordedYaml(text, logSchema, APPROVALS_FILE).approval_log;
  // The step is done again after a crash.
  if (before.some(({ gate_id, timestamp }) => gate_id === entry.gate_id && timestamp === entry.timestamp)) return;
  await run.files.write(callOf(run, step), { [APPROVALS_FILE]: yamlText({ approval_log: [...before, entry] }) });
}
