import { featureOf, type Contest } from "./contest.ts";
import { nextEdit } from "./repository.ts";

const REPEATED = 20;
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

/** The work of one feature: patches, locks, and a gate that does nothing. Where gates have no sandbox, that one is left out. */
export async function work(contest: Contest, repository: string, { rows = true, edits = REPEATED } = {}): Promise<boolean> {
  const row = (name: string) => (rows ? name : null);
  await contest.open(repository);
  for (let edit = 1; edit <= edits; edit++) {
    await contest.both(row(ROWS.patch), "repo.apply_patch", { feature_id: featureOf(WORKER), unified_diff: nextEdit(WORKER, edit) });
    await contest.both(row(ROWS.acquire), "locks.acquire", LOCK);
    await contest.both(row(ROWS.release), "locks.release", LOCK);
    await contest.both(row(ROWS.gate), "gates.run", GATE);
  }
  const walled = await contest.open(repository, { sandboxed: true }).then(
    () => true,
    () => false,
  );
  if (!walled) await contest.open(repository);
  const gates = walled ? edits : 0;
  for (let time = 0; time < gates; time++) await contest.both(row(ROWS.walledGate), "gates.run", GATE);
  return walled;
}

/** Every schema compiled and every path taken once, in a repository that is not looked at again. */
export async function warmUp(contest: Contest): Promise<void> {
  await contest.open("warm-up");
  for (let number = 0; number <= WORKER; number++) await contest.addFeature(number);
  for (let time = 0; time < 10; time++) await contest.both(null, "report.dashboard");
  await work(contest, "warm-up", { rows: false, edits: 3 });
}
