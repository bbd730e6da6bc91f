import { inWords } from "@slipway/kernel/budget/amounts";
import { oneLine } from "../../narration/one-line.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";
import { shortName } from "../steps.ts";
import { queryLines } from "./blocking-query.ts";
import { runStatus, type RunStatusReport } from "./run-status.ts";
import { withRun } from "./with-run.ts";

/** Where a run is. Advances nothing. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async (opened, reader) => {
    const report = await runStatus(opened, reader);
    io.out(args.flag("json") ? jsonLine(report) : `${statusLines(report, io.color).join("\n")}\n`);
    return EXIT.done;
  });

function statusLines(report: RunStatusReport, color: boolean): string[] {
  const { bold } = paint(color);
  const { functions, tests, claims, cost_usd, at_work, escalations } = report;
  return [
    bold(`${oneLine(report.project)}: ${placeText(report)}`),
    `run ${report.run} is ${report.run_status}`,
    functions.total === 0
      ? "functions: none yet"
      : `functions: ${functions.done} of ${functions.total} written, ${functions.left} left, ${functions.failed} failed`,
    ...(at_work === null ? [] : [`at work: ${shortName(at_work.function)} (${at_work.tier})`]),
    `escalations: ${escalations.length}`,
    ...escalations.map(({ function: id, tier, attempts }) => `  ${shortName(id)}: ${attempts} attempts, the last one by ${tier}`),
    `tests: ${tests.passing} of ${tests.total} pass`,
    `claims: ${claims.pass} pass, ${claims.violated} violated, ${claims.untested} untested, ${claims.open} open`,
    ...formalLines(report.formal),
    ...scanLines(report.scan),
    `cost: ${inWords("cost_usd", cost_usd)}`,
    ...waitLines(report),
    ...report.notification_failures.map(
      ({ event, channel, reason }) => `notification (${event}) to ${oneLine(channel)} failed: ${oneLine(reason)}`,
    ),
  ];
}

function formalLines(formal: RunStatusReport["formal"]): string[] {
  if (formal.length === 0) return [];
  const count = (verdict: string) => formal.filter((one) => one.verdict === verdict).length;
  return [
    `formal verification: ${count("pass")} pass, ${count("fail")} fail, ${count("inconclusive")} without a verdict`,
    ...formal
      .filter(({ verdict }) => verdict !== "pass")
      .map(({ function: id, verdict, message }) => `  ${shortName(id)}: ${verdict}, ${oneLine(message)}`),
  ];
}

function scanLines(scan: RunStatusReport["scan"]): string[] {
  if (scan === null) return [];
  const ran = scan.ran.length === 0 ? "" : ` (also by ${scan.ran.join(", ")})`;
  return [
    `security scan: ${scan.findings} ${scan.findings === 1 ? "finding" : "findings"}${ran}`,
    ...scan.not_run.map(({ tool, reason }) => `  ${tool} did not run: ${oneLine(reason)}`),
  ];
}

function placeText({ state, phase_title, sub_state_title }: RunStatusReport): string {
  const place = [phase_title, sub_state_title].filter((title) => title !== null).join(", ");
  if (state === "completed") return "complete";
  return state === "blocked" ? `blocked in ${place}` : place;
}

function waitLines({ block, waits_for, run_status }: RunStatusReport): string[] {
  if (block !== null)
    return ["", ...queryLines(block), `  next: ${block.answered ? "slipway resume (it is answered)" : "slipway criticality resolve"}`];
  const next = run_status === "waiting" || run_status === "stopped" ? ["  next: slipway resume"] : [];
  return waits_for.length === 0 ? [] : ["", ...waits_for.map(({ question, title }) => `${question} waits: ${oneLine(title)}`), ...next];
}
