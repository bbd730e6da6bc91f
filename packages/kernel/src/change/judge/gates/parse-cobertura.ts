import { LocationTally, wholeNumber, type CoverageCounts, type SeeLine } from "./coverage.ts";
import { malformedReport } from "./reports.ts";
import { readXml } from "./xml.ts";

/** Counts the lines themselves. A report lists each line in its class and again in its method; each location counts once. */
export async function parseCobertura(chunks: AsyncIterable<string>, path: string, see?: SeeLine): Promise<CoverageCounts> {
  const tooMany = () => malformedReport(path, "it names too many lines");
  const lines = new LocationTally(tooMany);
  const branches = new LocationTally(tooMany);
  let file = "";
  await readXml(chunks, path, {
    open(name, attributes, names) {
      if (names.length === 1 && name !== "coverage") throw malformedReport(path, `<${name}> is not the root of a Cobertura report`);
      if (name === "class") file = attributes.filename ?? attributes.name ?? "";
      if (name !== "line" || names.at(-2) !== "lines") return;
      const [number, hits] = [wholeNumber(attributes.number), wholeNumber(attributes.hits)];
      if (number === null || hits === null) throw malformedReport(path, "a line has no number or no hits");
      const location = `${file}\0${number}`;
      lines.see(location, hits > 0 ? 1 : 0, 1);
      see?.(file, number, hits > 0);
      if (attributes.branch !== "true") return;
      const [, covered, total] = /\((\d{1,9})\/(\d{1,9})\)/.exec(attributes["condition-coverage"] ?? "") ?? [];
      if (covered === undefined || Number(covered) > Number(total))
        throw malformedReport(path, `line ${number} has branches without numbers`);
      branches.see(location, Number(covered), Number(total));
    },
  });
  return { lines: lines.count(), branches: branches.count() };
}
