import { LocationTally, wholeNumber, type CoverageCounts, type SeeLine } from "./coverage.ts";
import { malformedReport } from "./reports.ts";

/** Counts the line and branch records themselves; the sums in the report are only the tool's claim. */
export async function parseLcov(chunks: AsyncIterable<string>, path: string, see?: SeeLine): Promise<CoverageCounts> {
  const tooMany = () => malformedReport(path, "it names too many lines");
  const lines = new LocationTally(tooMany);
  const branches = new LocationTally(tooMany);
  const seen = { records: 0, branchSums: 0 };
  let file = "";

  const readLine = (line: string) => {
    const colon = line.indexOf(":");
    const [kind, value] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1)];
    const fields = value.split(",");
    if (kind === "SF") file = value;
    else if (kind === "DA") {
      const [number, hits] = [wholeNumber(fields[0]), hitCount(fields[1])];
      if (number === null || hits === null) throw malformedReport(path, `"${shorten(line)}" is not a line record`);
      lines.see(`${file}\0${number}`, hits > 0 ? 1 : 0, 1);
      see?.(file, number, hits > 0);
      seen.records++;
    } else if (kind === "BRDA") {
      const taken = fields[3] === "-" ? 0 : hitCount(fields[3]);
      if (fields.length < 4 || taken === null) throw malformedReport(path, `"${shorten(line)}" is not a branch record`);
      branches.see(`${file}\0${fields.slice(0, 3).join(",")}`, taken > 0 ? 1 : 0, 1);
    } else if (kind === "BRF") seen.branchSums++;
    else if (kind === "end_of_record") seen.records++;
  };

  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) readLine(part.trim());
  }
  readLine(rest.trim());
  if (seen.records === 0) throw malformedReport(path, "it contains no lcov record");
  const counted = lines.count();
  // A tool that measures branches writes their number even if it is 0; other tools write none.
  const noBranches = counted !== null && seen.branchSums > 0 ? { covered: 0, total: 0 } : null;
  return { lines: counted, branches: branches.count() ?? noBranches };
}

/** Some tools write negative or very large counts after an overflow. */
function hitCount(text: string | undefined): number | null {
  return text !== undefined && /^-?\d{1,40}$/.test(text) ? Math.max(0, Number(text)) : null;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
