import { addCounts, wholeNumber, type Count, type CoverageCounts } from "./coverage.ts";
import { malformedReport } from "./reports.ts";
import { readXml } from "./xml.ts";

/** The counters of the whole report, or of its groups and packages if the tool omits the totals. */
export async function parseJacoco(chunks: AsyncIterable<string>, path: string): Promise<CoverageCounts> {
  const totals = new Map<string, Count | null>();
  const packages = new Map<string, Count | null>();
  await readXml(chunks, path, {
    open(name, attributes, names) {
      if (names.length === 1 && name !== "report") throw malformedReport(path, `<${name}> is not the root of a JaCoCo report`);
      if (name !== "counter") return;
      const [missed, covered] = [wholeNumber(attributes.missed), wholeNumber(attributes.covered)];
      const type = attributes.type ?? "";
      if (missed === null || covered === null) throw malformedReport(path, `a counter of type "${type.slice(0, 40)}" has no numbers`);
      const count = { covered, total: covered + missed };
      const parent = names.at(-2);
      if (parent === "report") totals.set(type, count);
      else if (parent === "package") packages.set(type, addCounts(packages.get(type) ?? null, count));
    },
  });
  const counter = (type: string) => totals.get(type) ?? packages.get(type) ?? null;
  return { lines: counter("LINE"), branches: counter("BRANCH") };
}
