import { jsonLine } from "@slipway/protocols/surface/escape";
import { inWords } from "@slipway/kernel/budget/amounts";
import { costReport, type BudgetLine, type CostLine, type CostReport } from "@slipway/kernel/budget/report";
import { ownerOf } from "@slipway/kernel/budget/rules";
import { ANY_STATUS, chooseRun } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withReader } from "@slipway/runtime/reader";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";

/** Shows usage and remaining budgets; read-only. */
export const run: RunCommand = (args, io) =>
  withReader(io, async ({ engine, records }) => {
    const [named] = args.positionals;
    const runId = args.flag("all") ? null : (await chooseRun(engine, named, ANY_STATUS)).runId;
    const report = await costReport(records, runId);
    io.out(args.flag("json") ? jsonLine(report) : `${lines(report, io.color).join("\n")}\n`);
    return EXIT.done;
  });

function lines(report: CostReport, color: boolean): string[] {
  const { bold, dim } = paint(color);
  const { run: runId, total, by_run, by_feature, by_role, by_model, budgets, cut_off } = report;
  const whose = runId === null ? "all runs" : `run ${runId}`;
  const nothing = total.invocations === 0 && cut_off.calls === 0;
  if (nothing && budgets.length === 0) return [`No agent has been called in ${whose} yet.`];
  const part = (heading: string, some: readonly CostLine[]) => [["", dim(heading)], table(some)].flat();
  return [
    bold(`${whose}: ${amounts(total)}`),
    ...(runId === null ? part("by run", by_run) : []),
    ...part("by feature", by_feature),
    ...part("by role", by_role),
    ...part("by model", by_model),
    ...(cut_off.calls === 0 ? [] : ["", cutOffText(cut_off)]),
    ...(budgets.length === 0 ? [] : ["", dim("budgets"), ...budgets.map(budgetText)]),
  ];
}

function table(some: readonly CostLine[]): string[] {
  const width = Math.max(...some.map(({ name }) => oneLine(name).length));
  return some.map((line) => `  ${oneLine(line.name).padEnd(width)}  ${amounts(line)}`);
}

function amounts({ cost_usd, input_tokens, output_tokens, calls, duration_ms }: Omit<CostLine, "name">): string {
  const tokens = `${input_tokens.toLocaleString("en-US")} in, ${output_tokens.toLocaleString("en-US")} out`;
  return [inWords("cost_usd", cost_usd), inWords("calls", calls), tokens, inWords("duration_ms", duration_ms)].join("  ");
}

function cutOffText({ calls, cost_usd }: CostReport["cut_off"]): string {
  const them = calls === 1 ? "1 call was" : `${calls} calls were`;
  return `${them} cut off by a kill: their usage is unknown; budgets count them at the maximum (${inWords("cost_usd", cost_usd)}).`;
}

function budgetText({ dimension, limit, spent, reserved, left, ...owner }: BudgetLine): string {
  const [l, s, r, rest] = [limit, spent, reserved, left].map((amount) => inWords(dimension, amount));
  return `  ${ownerOf(owner).toLowerCase()}: ${s} of ${l} spent, ${r} reserved, ${rest} left`;
}
