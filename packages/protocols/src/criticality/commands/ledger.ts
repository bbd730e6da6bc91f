import { CONFIDENCES, type Decision } from "@slipway/kernel/record/decisions/decision";
import { openDecisions } from "@slipway/kernel/record/decisions/decisions";
import { oneLine } from "../../narration/one-line.ts";
import type { RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { paint } from "../../surface/paint.ts";
import { withRun } from "./with-run.ts";

/** Decisions by confidence, the firmest first. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async ({ info }, { records }) => {
    const decisions = openDecisions({ db: records.database.db, door: records.door });
    const scope = `run:${info.runId}`;
    const entries = await decisions.list(scope);
    const all = args.flag("all") ? [...(await decisions.archived(scope)), ...entries] : entries.filter(({ status }) => status === "active");
    if (args.flag("json")) io.out(jsonLine({ run: info.runId, decisions: all }));
    else if (all.length > 0) io.out(`${ledgerLines(all, io.color).join("\n")}\n`);
    else io.out("The ledger has no decisions in force.\n");
    return EXIT.done;
  });

function ledgerLines(entries: readonly Decision[], color: boolean): string[] {
  const { bold } = paint(color);
  return CONFIDENCES.flatMap((confidence) => {
    const some = entries.filter((entry) => entry.confidence === confidence);
    return some.length === 0 ? [] : [bold(confidence), ...some.flatMap(entryLines)];
  });
}

function entryLines({ id, constraint, category, source, phase, status, superseded_by, reason, dependencies }: Decision): string[] {
  const ended = superseded_by === undefined ? "" : ` by ${superseded_by}`;
  return [
    `  ${id}  ${oneLine(constraint)}`,
    `    ${status}${ended}; ${category}, ${source}, ${phase}${dependencies.length === 0 ? "" : `; depends on ${dependencies.join(", ")}`}`,
    ...(reason === undefined ? [] : [`    reason: ${oneLine(reason)}`]),
  ];
}
