import { jsonLine } from "@slipway/protocols/surface/escape";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { checkBaseGates } from "../doctor/base-gates.ts";
import type { DoctorRow } from "../doctor/check.ts";
import { effectiveTrust } from "../doctor/configuration.ts";
import { examine } from "../doctor/examine.ts";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { askTrustOf } from "../trust/ask.ts";
import { paint } from "@slipway/protocols/surface/paint";

export const run: RunCommand = async (args, io) => {
  await askBefore(io, args.flag("json"));
  const checked = await examine(io);
  // Gates may take minutes, so report progress.
  const onProgress = (line: string) => io.err(`${line}\n`);
  const rows = [...checked, ...(args.flag("skip-base-gates") ? [] : await checkBaseGates(io, checked, { onProgress }))];
  if (args.flag("json")) io.out(jsonLine(rows));
  else io.out(`${[...rows.flatMap((row) => lines(row, io)), "", summary(rows)].join("\n")}\n`);
  return rows.some(({ status }) => status === "problem") ? EXIT.failed : EXIT.done;
};

/** A person at the terminal is asked first, so that everything can be checked. What they do not trust is reported. */
async function askBefore(io: Io, json: boolean): Promise<void> {
  const ask = askTrustOf(io, json);
  if (ask === undefined) return;
  // An error is reported by the checks themselves.
  const trust = await effectiveTrust(io).catch(() => null);
  const trusted = await trust?.trusted().catch(() => true);
  if (trust !== null && trusted === false) await ask(trust);
}

const COLORS = { ok: "green", note: "yellow", problem: "red" } as const;

function lines({ name, status, finding, fix }: DoctorRow, { color }: Io): string[] {
  const shown = paint(color)[COLORS[status]](status.padEnd(8));
  const indent = " ".repeat(23);
  const first = `${shown} ${name.padEnd(13)} ${finding.replaceAll("\n", `\n${indent}`)}`;
  return fix === null ? [first] : [first, `${indent}fix: ${fix}`];
}

function summary(rows: readonly DoctorRow[]): string {
  const count = (status: DoctorRow["status"]) => rows.filter((row) => row.status === status).length;
  const counts = [counted(count("problem"), "problem"), counted(count("note"), "note")].join(", ");
  return count("problem") === 0 ? `No problems (${counts}).` : `${counts}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
