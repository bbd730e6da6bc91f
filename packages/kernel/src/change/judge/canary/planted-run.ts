import { lstatSync, readFileSync } from "node:fs";
import { inFolderOf } from "../../../host/files/beneath.ts";
import { hasCode } from "../../../host/files/file-system.ts";
import { SlipwayError } from "../../../schema/errors.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { readCoveredLines, type CoveredLines } from "../gates/covered-lines.ts";
import type { ReportedResult } from "../gates/judge.ts";
import type { PlannedGate } from "../gates/precedence.ts";
import type { GateRequest, GateResult, PlantedFiles } from "../gates/run.ts";
import { judgePlant, type NearTitles, type PlantFate, type Shown } from "./judge-plants.ts";
import { titlesOf } from "./neighbours.ts";
import type { PlantingTree } from "./plan-plants.ts";
import type { Plant } from "./plant.ts";

/** A gate that passed, and how to run it again on the same tree. */
export interface PassedGate {
  readonly gate: PlannedGate;
  readonly request: GateRequest;
  readonly result: GateResult;
  readonly runAgain: (planted: PlantedFiles, name: string) => Promise<GateResult>;
}

export interface PlantedRun {
  readonly fates: readonly PlantFate[];
  readonly hasFailed: boolean;
  readonly ms: number;
  /** The end of the decisive log. */
  readonly tail: string;
  keepLog(): Promise<string | null>;
}

const TAIL_CHARACTERS = 2_000;

/** Runs a gate again with these plants, until each has turned it red or its steps are over. */
export async function runPlanted(
  { objects }: FeatureDependencies,
  { tests, paths }: PlantingTree,
  { gate, runAgain }: PassedGate,
  plants: readonly Plant[],
  name: string,
): Promise<PlantedRun> {
  const near: NearTitles = new Map(
    plants.flatMap((plant) => {
      const text = plant.kind === "test" ? tests.find(({ path }) => path === plant.near)?.text : undefined;
      return plant.kind === "test" ? [[plant.near, text === undefined ? null : titlesOf(plant.near, text)] as const] : [];
    }),
  );
  const steps: Shown["steps"][number][] = [];
  const loaded = new Set<string>();
  let reported: ReportedResult["tests"] = new Map();
  let covered: CoveredLines = new Map();
  const shown = (): Shown => ({ steps, loaded, covered, ...namesIn(reported) });
  const fates = () => plants.map((plant) => judgePlant(plant, shown(), near));
  const anyPath = [...paths][0] ?? "";
  const files = new Map(
    plants.map((plant) => {
      const like = plant.kind === "test" ? plant.near : plant.path;
      return [plant.path, { path: plant.path, text: plant.text, like: paths.has(like) ? like : anyPath }];
    }),
  );
  const result = await runAgain(
    {
      files: [...files.values()],
      async isEnough(step, written, now) {
        steps.push({ name: step.name, failed: step.status === "fail", log: readFileSync(step.logPath, "utf8") });
        for (const plant of plants) if (plant.kind === "test" && isThere(written, plant.trace)) loaded.add(plant.path);
        reported = now.tests;
        if (plants.some(({ kind }) => kind === "cover")) covered = new Map([...covered, ...(await readCoveredLines(written, gate))]);
        return fates().every(({ fate }) => fate === "red");
      },
    },
    name,
  );
  const decisive = steps.find(({ failed }) => failed) ?? steps.at(-1);
  const log = decisive?.log ?? "";
  return {
    fates: fates(),
    hasFailed: result.steps.some(({ status }) => status === "fail"),
    ms: Math.round(result.durationMs),
    tail: log.slice(-TAIL_CHARACTERS),
    keepLog: async () => (log === "" ? null : objects.put(Buffer.from(log))),
  };
}

function isThere(root: string, path: string | null): boolean {
  if (path === null) return false;
  try {
    return inFolderOf(root, path, (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);
  } catch (error) {
    if (error instanceof SlipwayError || hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return false;
    throw error;
  }
}

function namesIn(tests: ReportedResult["tests"]): Pick<Shown, "ran" | "failed"> {
  const reports = [...tests.values()].flatMap((read) => ("parsed" in read ? [read.parsed] : []));
  return { ran: new Set(reports.flatMap(({ ran }) => [...ran.keys()])), failed: new Set(reports.flatMap(({ failed }) => [...failed])) };
}
