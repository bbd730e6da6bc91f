import { git, prepareRequest, spawnChild, type Ended, type Flow } from "./flow.ts";
import { fsckProblems, journalWhole, nothingLeft, paidOnce, ranOnce, untouched } from "./invariants.ts";
import { query } from "./query.ts";
import { differences, endedWithMerge, entriesOf, filesOfRun, mergedFiles, withoutTimes } from "./traces.ts";

/** What an undisturbed session leaves: its files and what it merges. */
export interface CrewTraces {
  readonly sessionFiles: Readonly<Record<string, string>>;
  readonly merged: Readonly<Record<string, string>>;
}

/** Throws if even the undisturbed session is not clean. */
export async function undisturbedCrew(): Promise<CrewTraces> {
  const flow = await prepareRequest("crew", "mine");
  const last = await spawnChild(flow, { atPoints: false });
  const traces = tracesOf(flow);
  const problems = await crewViolations(flow, last, traces);
  if (problems.length > 0) throw new Error(`an undisturbed session is not clean:\n${problems.join("\n")}`);
  return traces;
}

/** Every violated invariant after the session has ended. */
export async function crewViolations(flow: Flow, last: Ended, expected: CrewTraces): Promise<string[]> {
  const unfinished = endedWithMerge(last);
  if (unfinished.length > 0) return unfinished;
  const left = await nothingLeft(flow, 2);
  const traces = tracesOf(flow);
  return [
    ...differences("a file of the session", entriesOf(traces.sessionFiles), entriesOf(expected.sessionFiles)),
    ...differences("a merged file", entriesOf(traces.merged), entriesOf(expected.merged)),
    ...mergedOnce(flow),
    ...untouched(flow),
    ...ranOnce(flow),
    ...paidOnce(flow),
    ...fsckProblems(flow.folder),
    ...(await journalWhole(flow, 2)),
    ...left,
  ];
}

/** The whole text of status.json, tasks.yaml and the run log: counters, decisions and dispatches, without their times. */
function tracesOf({ folder }: Flow): CrewTraces {
  const texts = Object.entries(filesOfRun(folder));
  return { sessionFiles: Object.fromEntries(texts.map(([name, text]) => [name, withoutTimes(text)])), merged: mergedFiles(folder) };
}

function mergedOnce({ folder }: Flow): string[] {
  const commits = git(folder, ["log", "--first-parent", "--format=%H", "main"]).trim().split("\n").length;
  return [
    ...(commits === 2 ? [] : [`main has ${commits} commits on its first-parent line instead of 2`]),
    ...(query(folder, "SELECT tree FROM merges").length === 1 ? [] : ["there is not exactly one merge"]),
    ...(query(folder, "SELECT id FROM approvals").length === 1 ? [] : ["the approval was not used exactly once"]),
  ];
}
