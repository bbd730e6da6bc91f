import { git, prepareRequest, spawnChild, type Ended, type Flow } from "./flow.ts";
import { fsckProblems, journalWhole, nothingLeft, paidOnce, ranOnce, untouched } from "./invariants.ts";
import { query } from "./query.ts";
import { differences, endedWithMerge, entriesOf, filesOfRun, mergedFiles, withoutTimes } from "./traces.ts";

/** What an undisturbed run leaves: its ledger, its files and what it merges. */
export interface ForgeTraces {
  readonly checks: readonly string[];
  readonly dispatches: readonly string[];
  readonly runFiles: Readonly<Record<string, string>>;
  readonly merged: Readonly<Record<string, string>>;
}

/** Throws if even the undisturbed run is not clean. */
export async function undisturbedForge(): Promise<ForgeTraces> {
  const flow = await prepareRequest("forge", "mine");
  const last = await spawnChild(flow, { atPoints: false });
  const traces = tracesOf(flow);
  const problems = await forgeViolations(flow, last, traces);
  if (problems.length > 0) throw new Error(`an undisturbed run is not clean:\n${problems.join("\n")}`);
  return traces;
}

/** Every violated invariant after the run has ended. */
export async function forgeViolations(flow: Flow, last: Ended, expected: ForgeTraces): Promise<string[]> {
  const unfinished = endedWithMerge(last);
  if (unfinished.length > 0) return unfinished;
  const traces = tracesOf(flow);
  return [
    ...differences("a row of the ledger", traces.checks, expected.checks),
    ...differences("a dispatch", traces.dispatches, expected.dispatches),
    ...differences("a file of the run", entriesOf(traces.runFiles), entriesOf(expected.runFiles)),
    ...differences("a merged file", entriesOf(traces.merged), entriesOf(expected.merged)),
    ...mergedOnce(flow),
    ...untouched(flow),
    ...ranOnce(flow),
    ...paidOnce(flow),
    ...fsckProblems(flow.folder),
    ...(await journalWhole(flow, 2)),
    ...(await nothingLeft(flow, 2)),
  ];
}

function tracesOf({ folder }: Flow): ForgeTraces {
  const checks = query(folder, "SELECT task_id, phase, check_name, round, passed, exit_code, verdict FROM anvil_checks");
  const dispatches = query(folder, "SELECT step, agent, instance, status, dispatch_count, retry_count FROM pipeline_telemetry");
  return {
    checks: checks.map((row) => JSON.stringify(row)).toSorted(),
    dispatches: dispatches.map((row) => JSON.stringify(row)).toSorted(),
    runFiles: runFilesOf(folder),
    merged: mergedFiles(folder),
  };
}

/** The YAML outputs and their companions, without what differs between two runs: times, digests, durations, and places. */
function runFilesOf(folder: string): Record<string, string> {
  const texts = Object.entries(filesOfRun(folder));
  return Object.fromEntries(
    texts.map(([name, text]) => [name, /\.(?:yaml|md)$/.test(name) && !isEvidence(name) ? withoutTimes(text) : ""]),
  );
}

/** They quote the output of checks, with durations and orders of rows. */
function isEvidence(name: string): boolean {
  return /^(?:verification-ledger\.yaml|evidence-bundle\.md|implementation-reports\/.*)$/.test(name);
}

function mergedOnce({ folder }: Flow): string[] {
  const commits = git(folder, ["log", "--first-parent", "--format=%H", "main"]).trim().split("\n").length;
  const tags = git(folder, ["tag", "--list", "pipeline-baseline-*"]).trim().split("\n");
  return [
    ...(commits === 2 ? [] : [`main has ${commits} commits on its first-parent line instead of 2`]),
    ...(tags.length === 1 && tags[0] !== "" ? [] : [`the tags of the base are ${tags.join(", ")}`]),
    ...(query(folder, "SELECT tree FROM merges").length === 1 ? [] : ["there is not exactly one merge"]),
    ...(query(folder, "SELECT id FROM approvals").length === 1 ? [] : ["the approval was not used exactly once"]),
  ];
}
