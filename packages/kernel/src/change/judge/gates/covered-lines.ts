import { SlipwayError } from "../../../schema/errors.ts";
import { coverageReport, LINE_PARSERS } from "./judge.ts";
import type { PlannedGate } from "./precedence.ts";
import { readReport, writtenReports } from "./reports.ts";

/** Lines by file, as the report names it, and whether it says that they ran. */
export type CoveredLines = ReadonlyMap<string, ReadonlyMap<number, boolean>>;

/** The lines in the coverage reports that a step wrote. None in a report that cannot be read. */
export async function readCoveredLines(root: string, gate: PlannedGate): Promise<CoveredLines> {
  const report = coverageReport(gate);
  const parser = LINE_PARSERS[gate.coverage?.type ?? "none"];
  const files = new Map<string, Map<number, boolean>>();
  if (report === null || parser === undefined) return files;
  const see = (file: string, line: number, ran: boolean) => {
    const lines = files.get(file) ?? new Map<number, boolean>();
    lines.set(line, ran || lines.get(line) === true);
    files.set(file, lines);
  };
  try {
    for (const path of writtenReports(root, report)) await parser(readReport(root, path, report.field), path, see);
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
  }
  return files;
}

/** The lines of one file. A report may name it absolutely, or relative to a folder of its own. */
export function linesOf(covered: CoveredLines, path: string): ReadonlyMap<number, boolean> | null {
  const found = [...covered].find(([name]) => {
    const known = name.replaceAll("\\", "/");
    return known === path || known.endsWith(`/${path}`) || (known !== "" && path.endsWith(`/${known}`));
  });
  return found?.[1] ?? null;
}
