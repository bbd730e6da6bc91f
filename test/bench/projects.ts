import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";
import { measureProject, type ProjectFigures } from "@slipway/protocols/factory/project/bench";
import { projectOf } from "@slipway/protocols/factory/project/testing/specs";

/** The minimum counts: other load of the machine can only add time. */
const PASSES = 3;
const FLAT = 2;
const INITIALISE_MS = 5000;

type Figure = Exclude<keyof ProjectFigures, "tasks" | "initialiseMs">;

const DECISIONS: readonly (readonly [Figure, string])[] = [
  ["dispatchUs", "dispatch: select, start and ship a task"],
  ["cascadeUs", "cascade: halt a task with all that waits for it, and resolve it"],
  ["viewUs", "status of a project in memory"],
  ["statusUs", "`factory status` from the database"],
  ["changeUs", "a change with its rows and its event"],
];

function best(of: readonly ProjectFigures[], figure: Figure | "initialiseMs"): number {
  return Math.min(...of.map((figures) => figures[figure]));
}

/** The time of a decision among 10,000 tasks compared with 100, alternating, and the time to plan 10,000. */
export async function benchProjects(): Promise<BenchRow[]> {
  const small: ProjectFigures[] = [];
  const large: ProjectFigures[] = [];
  // Nothing is deleted before the end: ext4 skips recently deleted files one by one for each new one.
  const folder = mkdtempSync(join(tmpdir(), "slipway-project-bench-"));
  try {
    for (let pass = 0; pass < PASSES; pass++) {
      small.push(await measureProject(projectOf(100), folder));
      large.push(await measureProject(projectOf(10_000), folder));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const took = best(large, "initialiseMs");
  return [
    ...DECISIONS.map(([figure, what]): BenchRow => {
      const [few, many] = [best(small, figure), best(large, figure)];
      const ratio = many / few;
      const value = `${many.toFixed(1)} µs / ${few.toFixed(1)} µs`;
      return { what: `${what}, 10,000 tasks / 100`, value, ratio, bar: `≤ ${FLAT}`, ok: ratio <= FLAT };
    }),
    {
      what: "initialisation of 10,000 tasks: checks, files, rows",
      value: `${Math.round(took)} ms (100 tasks: ${Math.round(best(small, "initialiseMs"))} ms)`,
      ratio: null,
      bar: `< ${INITIALISE_MS} ms`,
      ok: took < INITIALISE_MS,
    },
  ];
}
