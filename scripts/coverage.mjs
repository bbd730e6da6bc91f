// Coverage of the packages' tests, from their lcov files: the minimum blocks, the target is only reported.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

const TARGET = 100;

/** One line per package, such as `coverage kernel: lines 98.4 %, branches 96.4 % (target 100 %: not reached)`. */
export function coverageLines(folder = join(root, "packages")) {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const file = join(folder, name, "coverage", "lcov.info");
      return existsSync(file) ? [line(name, readFileSync(file, "utf8"))] : [];
    });
}

function line(name, lcov) {
  const total = (key) => [...lcov.matchAll(new RegExp(`^${key}:(\\d+)$`, "gm"))].reduce((sum, [, count]) => sum + Number(count), 0);
  const percent = (hit, found) => (total(found) === 0 ? 100 : (100 * total(hit)) / total(found));
  const [lines, branches] = [percent("LH", "LF"), percent("BRH", "BRF")];
  const reached = Math.min(lines, branches) >= TARGET ? "reached" : "not reached";
  return `coverage ${name}: lines ${lines.toFixed(1)} %, branches ${branches.toFixed(1)} % (target ${TARGET} %: ${reached})`;
}
