import { featureOf, type Contest } from "./contest.ts";
import { nextEdit } from "./repository.ts";

const REPEATED = 20;
const WARM_UP = 20;
/** The repository after thousands of calls. */
export const USED = ", in a repository with a past";
const WORKER = 3;
const LOCK = { feature_id: featureOf(WORKER), resource: "openapi" } as const;
const GATE = { feature_id: featureOf(WORKER), profile: "default", mode: "fast" } as const;

export const ROWS = {
  patch: "repo.apply_patch",
  acquire: "locks.acquire",
  release: "locks.release",
  gate: "gates.run `true`, no sandbox on either side",
  walledGate: "gates.run `true`, ours sandboxed, the peer has no sandbox",
} as const;

interface WorkOptions {
  /** Added to the names of the rows; null if nothing is recorded. */
  readonly stage?: string | null;
  readonly edits?: number;
  /** The number of the first edit: an edit cannot be repeated. */
  readonly first?: number;
  /** The peer has one ledger per run. */
  readonly run?: string;
}

/** The same again, after thousands of calls on both sides. */
export async function workAgain(contest: Contest, repository: string, run: string): Promise<boolean> {
  return work(contest, repository, { stage: USED, first: REPEATED + 1, run });
}

/** The work of one feature: patches, locks, and a gate that does nothing. Without a sandbox the gate is left out. */
export async function work(contest: Contest, repository: string, options: WorkOptions = {}): Promise<boolean> {
  const { stage = "", edits = REPEATED, first = 1, run = "bench" } = options;
  const row = (name: string) => (stage === null ? null : name + stage);
  await contest.open(repository, { run });
  for (let edit = first; edit < first + edits; edit++) {
    await contest.both(row(ROWS.patch), "repo.apply_patch", { feature_id: featureOf(WORKER), unified_diff: nextEdit(WORKER, edit) });
    await contest.both(row(ROWS.acquire), "locks.acquire", LOCK);
    await contest.both(row(ROWS.release), "locks.release", LOCK);
    await contest.both(row(ROWS.gate), "gates.run", GATE);
  }
  const walled = await contest.open(repository, { sandboxed: true, run }).then(
    () => true,
    () => false,
  );
  if (!walled) await contest.open(repository, { run });
  const gates = walled ? edits : 0;
  for (let time = 0; time < gates; time++) await contest.both(row(ROWS.walledGate), "gates.run", GATE);
  return walled;
}

/** Compiles every schema and takes every path once, in a repository that is not measured. */
export async function warmUp(contest: Contest): Promise<void> {
  await contest.open("warm-up");
  for (let number = 0; number <= WORKER; number++) await contest.addFeature(number);
  for (let time = 0; time < 10; time++) await contest.both(null, "report.dashboard");
  await work(contest, "warm-up", { stage: null, edits: WARM_UP });
}
