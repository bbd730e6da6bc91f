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

/** The first request of the demo ends with a merge, the second one at a reviewer's blocker. Throws if even the undisturbed run is not clean. */
export async function undisturbedForge(second = false): Promise<ForgeTraces> {
  const flow = await prepareRequest("forge", "mine", second);
  const last = await spawnChild(flow, { atPoints: false });
  const traces = tracesOf(flow);
  const problems = await forgeViolations(flow, last, traces);
  if (problems.length > 0) throw new Error(`an undisturbed run is not clean:\n${problems.join("\n")}`);
  return traces;
}

/** Every violated invariant after the run has ended. */
export async function forgeViolations(flow: Flow, last: Ended, expected: ForgeTraces): Promise<string[]> {
  const blocked = flow.second === true;
  const unfinished = blocked ? endedAtBlocker(last) : endedWithMerge(last);
  if (unfinished.length > 0) return unfinished;
  const left = await nothingLeft(flow, 2);
  const traces = tracesOf(flow);
  return [
    ...differences("a row of the ledger", traces.checks, expected.checks),
    ...differences("a dispatch", traces.dispatches, expected.dispatches),
    ...differences("a file of the run", entriesOf(traces.runFiles), entriesOf(expected.runFiles)),
    ...differences("a merged file", entriesOf(traces.merged), entriesOf(expected.merged)),
    ...(blocked ? nothingMerged(flow) : mergedOnce(flow)),
    ...untouched(flow),
    ...ranOnce(flow),
    ...paidOnce(flow),
    ...fsckProblems(flow.folder),
    ...(await journalWhole(flow, 2)),
    ...left,
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

function endedAtBlocker({ code, stdout, stderr }: Ended): string[] {
  const ended = code === 0 && stdout.includes('"status":"completed"') && stdout.includes("ERROR in step 3b");
  return ended ? [] : [`the run did not end at the blocker: exit ${code} ${stdout} ${stderr}`];
}

function nothingMerged({ folder }: Flow): string[] {
  const commits = git(folder, ["log", "--format=%H", "main"]).trim().split("\n").length;
  return [
    ...(commits === 1 ? [] : [`main has ${commits} commits instead of 1`]),
    ...(query(folder, "SELECT tree FROM merges").length === 0 ? [] : ["there is a merge"]),
  ];
}
