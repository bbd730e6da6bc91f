import { stripVTControlCharacters } from "node:util";
import { tidy } from "../test-integrity/declared-titles.ts";
import { titleIn } from "../test-integrity/compare-tests.ts";
import { namesAny } from "./neighbours.ts";
import { linesOf, type CoveredLines } from "../gates/covered-lines.ts";
import type { CoverPlant, Plant, TestPlant } from "./plant.ts";

/** What a run with planted failures has shown so far. */
export interface Shown {
  readonly steps: readonly { readonly name: string; readonly failed: boolean; readonly log: string }[];
  /** Names of the tests in the reports, and of those that failed. */
  readonly ran: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** Planted files that were loaded. */
  readonly loaded: ReadonlySet<string>;
  readonly covered: CoveredLines;
}

/**
 * red: the gate showed this failure. green: the planted test was there, but the gate did not show its failure. unseen: nothing of it was
 * seen, so it was not part of the gate.
 */
export interface PlantFate {
  readonly fate: "red" | "green" | "unseen";
  /** The step that showed it; null if only a report of several steps did, or none. */
  readonly step: string | null;
  readonly why: string;
}

/** Titles of the test beside which each test is planted; null if they cannot be known. */
export type NearTitles = ReadonlyMap<string, ReadonlySet<string> | null>;

export function judgePlant(plant: Plant, shown: Shown, near: NearTitles): PlantFate {
  if (plant.kind === "cover") return judgeCover(plant, shown);
  const inLog = shown.steps.filter(({ log }) => stripVTControlCharacters(log).includes(plant.token));
  const red = inLog.find(({ failed }) => failed) ?? null;
  if (plant.kind === "load") {
    if (red !== null) return { fate: "red", step: red.name, why: "its log shows the exception" };
    return inLog.length > 0
      ? { fate: "green", step: inLog[0]?.name ?? null, why: "its log shows the exception, but it passed" }
      : { fate: "unseen", step: null, why: "no log shows the exception" };
  }
  const name = (names: ReadonlySet<string>) => [...names].some((one) => isTitle(one, plant.title));
  if (name(shown.failed)) return { fate: "red", step: red?.name ?? null, why: "the test report has it as failed" };
  if (name(shown.ran)) return { fate: "green", step: null, why: "the test report says that it passed" };
  if (red !== null) {
    const doubt = doubtAbout(plant, shown, near);
    return doubt === null
      ? { fate: "red", step: red.name, why: "its log shows the failure" }
      : { fate: "green", step: red.name, why: doubt };
  }
  if (inLog.length > 0) return { fate: "green", step: inLog[0]?.name ?? null, why: "its log shows the failure, but it passed" };
  return shown.loaded.has(plant.path)
    ? { fate: "green", step: null, why: "it was loaded, but no step showed that it failed" }
    : { fate: "unseen", step: null, why: "no step ran it" };
}

/** red: the coverage report has the line as one that did not run. */
function judgeCover({ path, line }: CoverPlant, { covered }: Shown): PlantFate {
  const lines = linesOf(covered, path);
  if (lines === null || lines.size === 0) return { fate: "unseen", step: null, why: "no coverage report of this run names it" };
  const ran = lines.get(line);
  if (ran === false) return { fate: "red", step: null, why: "the coverage report has the line as not run" };
  const why = ran === true ? `says that line ${line} ran, which nothing calls` : `does not know line ${line}, which nothing calls`;
  return { fate: "green", step: null, why: `the coverage report ${why}` };
}

function isTitle(name: string, title: string): boolean {
  return titleIn(tidy(name), new Set([title]), new Set([title.length])) !== null;
}

/** A report that leaves a failed test out was not written by the runner that ran it, or speaks of other tests only. */
function doubtAbout({ near }: TestPlant, { ran }: Shown, titles: NearTitles): string | null {
  if (ran.size === 0) return null;
  const own = titles.get(near) ?? null;
  if (own !== null && namesAny(ran, own)) return `the test report names the tests of ${near}, but not the planted one`;
  const known = [...titles.values()];
  if (known.some((one) => one === null || namesAny(ran, one))) return null;
  return `the test report names none of the tests beside it, and not the planted one`;
}

/** The verdict over all plants of one run. A plant that was there and stayed green weighs more than one that turned red. */
export function verdictOf(fates: readonly PlantFate[]): PlantFate["fate"] {
  if (fates.some(({ fate }) => fate === "green")) return "green";
  return fates.some(({ fate }) => fate === "red") ? "red" : "unseen";
}
