import { openDecisions } from "@slipway/kernel/record/decisions/decisions";
import type { SourceTree } from "@slipway/languages/adapter";
import { oneLine } from "../../narration/one-line.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";
import type { Reader } from "../../surface/surface.ts";
import { failurePatterns, type FailurePattern, type ObservedRun } from "../telemetry/learning.ts";
import { metricsReport, type MetricRow } from "../telemetry/success-metrics.ts";
import { acceptedFindings, measureRuns, type MeasuredRun } from "./measure-runs.ts";
import { programSize } from "./program-size.ts";
import { readRecord } from "./run-record.ts";
import { chosenRun, openRun, withRun, WORKFLOW, type ReadRun } from "./with-run.ts";

/** Success metrics against their targets: of the run that `--run` names, or of all runs. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async (_newest, reader) => {
    const named = args.text("run");
    const infos =
      named === undefined ? await reader.engine.runs({ rootsOnly: true, workflow: WORKFLOW }) : [await chosenRun(reader, named)];
    const measured: (MeasuredRun & ObservedRun)[] = [];
    for (const info of infos) if (info !== null) measured.push(await measureRun(await openRun(reader, info), reader));
    const rows = metricsReport(measureRuns(measured));
    const patterns = failurePatterns(measured);
    if (args.flag("json")) io.out(jsonLine({ runs: measured.length, metrics: rows, failure_patterns: patterns }));
    else io.out(`${[...lines(rows, measured.length, io.color), ...patternLines(patterns, io.color)].join("\n")}\n`);
    return EXIT.done;
  });

async function measureRun({ info, project, state, artifacts }: ReadRun, reader: Reader): Promise<MeasuredRun & ObservedRun> {
  const { database, door, objects, clock } = reader.records;
  const record = await readRecord(reader, info.runId);
  const decisions = await openDecisions({ db: database.db, door }).list(`run:${info.runId}`);
  const files =
    record.program === null ? null : (JSON.parse(Buffer.from(await objects.get(record.program)).toString("utf8")) as SourceTree);
  return {
    project,
    isCompleted: state.type === "completed",
    artifacts,
    events: record.events,
    reached: record.reached,
    isLost: info.status === "failed" || info.status === "cancelled" || (info.status === "completed" && state.type !== "completed"),
    durationMs: Math.max(0, (info.finishedAt ?? clock.now()) - info.createdAt),
    program: files === null ? null : await programSize(files),
    coverage: record.coverage,
    acceptedFindings: acceptedFindings(decisions),
  };
}

/** What a rate, a count or an amount is called and counted in. */
const LABELS: Readonly<Record<MetricRow["metric"], { readonly title: string; readonly unit: "%" | "$" | "min" | "h" | "" }>> = {
  compilationRate: { title: "compilation rate from Lattice", unit: "%" },
  testPassRate: { title: "test pass rate", unit: "%" },
  securityVulnerabilities: { title: "security vulnerabilities", unit: "" },
  costPer1KLOC: { title: "cost per 1,000 lines", unit: "$" },
  timePer1KLOC: { title: "time per 1,000 lines", unit: "min" },
  escalationToStructurerModel: { title: "functions escalated to structurer_model", unit: "%" },
  escalationToArchitectModel: { title: "functions escalated to architect_model", unit: "%" },
  mtbf: { title: "mean time between failures", unit: "h" },
  recoveryRate: { title: "recovery rate", unit: "%" },
  humanInterventionRate: { title: "runs with human intervention", unit: "%" },
  avgCyclomaticComplexity: { title: "average cyclomatic complexity", unit: "" },
  testCoverage: { title: "line coverage", unit: "%" },
};

function lines(rows: readonly MetricRow[], runs: number, color: boolean): string[] {
  const { bold, dim, green, red } = paint(color);
  const groups = Map.groupBy(rows, ({ category }) => category);
  const text = ({ metric, value, target, met }: MetricRow) => {
    const { title, unit } = LABELS[metric];
    const goal = target === null ? dim("no target") : `target ${amountText(target, unit)}`;
    const verdict = met === null ? "" : met ? `  ${green("met")}` : `  ${red("not met")}`;
    return `  ${title}: ${value === null ? "not measured" : amountText(String(rounded(value, unit)), unit)} (${goal})${verdict}`;
  };
  return [`${runs} ${runs === 1 ? "run" : "runs"}`, ...[...groups].flatMap(([category, some]) => [bold(category), ...some.map(text)])];
}

/** What escalates most often in completed runs. It is for the person who changes prompts: no run reads it. */
function patternLines(patterns: readonly FailurePattern[], color: boolean): string[] {
  const heading = "escalations of completed runs, by model and reason";
  return patterns.length === 0 ? [] : [paint(color).bold(heading), ...patterns.map(patternLine)];
}

function patternLine({ model, reason, count, projects, proposal }: FailurePattern): string {
  return `  ${oneLine(model)}, ${oneLine(reason)}: ${count} in ${projects.map(oneLine).join(", ")}. ${proposal}`;
}

const MS_PER_MINUTE = 60_000;

function rounded(value: number, unit: string): number {
  const shown = unit === "min" ? value / MS_PER_MINUTE : value;
  return unit === "%" ? Number(shown.toFixed(4)) : Number(shown.toFixed(2));
}

/** `>= 0.95` and `0.975` as percentages. */
function amountText(text: string, unit: "%" | "$" | "min" | "h" | ""): string {
  if (unit === "") return text;
  if (unit === "$") return `$${text}`;
  return unit === "%" ? text.replace(/[\d.]+/, (rate) => `${Number((Number(rate) * 100).toFixed(2))} %`) : `${text} ${unit}`;
}
