import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { SlipwayError } from "../../schema/errors.ts";
import { systemHost, type HostIdentity } from "@slipway/durable/host";
import { removeTree } from "../files/remove-tree.ts";
import { z } from "zod";
import { branchHead } from "./branch.ts";
import { dropStaging, performAdvance, planAdvance, stagingFor, type Advance } from "./checkout.ts";
import { clearStaleLock } from "./locks.ts";
import { replaceFile } from "./worktree-record.ts";
import { rawBetween, reversed } from "./raw.ts";
import type { Repository } from "./repository.ts";

/** Written before a landing touches a checkout of the user, so that after a crash the next process knows what the landing changed. */
const intentSchema = z.object({
  id: z.string(),
  process: z.object({ host: z.string(), pid: z.number(), startedAt: z.string() }),
  baseBranch: z.string(),
  expected: z.string(),
  commit: z.string(),
  /** `paths` still had their old content; only they may be reverted. */
  checkouts: z.array(z.object({ root: z.string(), gitDir: z.string(), paths: z.array(z.string()) })),
  locks: z.array(z.string()),
});
export type LandingIntent = z.infer<typeof intentSchema>;

export interface LandingPlan {
  readonly baseBranch: string;
  readonly expected: string;
  readonly commit: string;
  readonly branches: readonly string[];
  readonly advances: readonly Advance[];
}

/** Running landings of this process. An intent of this process that is on disk but not here failed without clean-up. */
const active = new Set<string>();

export async function declareLanding(
  repo: Repository,
  { baseBranch, expected, commit, branches, advances }: LandingPlan,
): Promise<LandingIntent> {
  const { host, pid, startedAt } = systemHost();
  const locks = [
    join(repo.gitDir, "HEAD.lock"),
    join(repo.commonDir, "packed-refs.lock"),
    ...branches.map((branch) => join(repo.commonDir, "refs", "heads", `${branch}.lock`)),
    ...advances.map(({ checkout }) => join(checkout.gitDir, "index.lock")),
  ];
  const intent: LandingIntent = {
    id: randomBytes(8).toString("hex"),
    process: { host, pid, startedAt },
    baseBranch,
    expected,
    commit,
    checkouts: advances.map(({ checkout, pending }) => ({ ...checkout, paths: pending.map(({ path }) => path) })),
    // A lock that already exists belongs to another process.
    locks: locks.filter((lock) => !existsSync(lock)),
  };
  active.add(intent.id);
  await replaceFile(fileOf(repo, intent.id), JSON.stringify(intent));
  return intent;
}

export function abandonLanding({ id }: LandingIntent): void {
  active.delete(id);
}

/** Removes the locks of a landing's killed git. Returns the removed ones, or null while one may still be held. */
export async function releaseLocks(repo: Repository, { locks }: LandingIntent): Promise<string[] | null> {
  const states = await Promise.all(locks.map(async (lock) => ({ lock, state: await clearStaleLock(repo, lock) })));
  return states.some(({ state }) => state === "held") ? null : states.flatMap(({ lock, state }) => (state === "cleared" ? [lock] : []));
}

export async function forgetLanding(repo: Repository, intent: LandingIntent): Promise<void> {
  for (const checkout of intent.checkouts) await dropStaging(checkout, intent.id);
  await removeTree(fileOf(repo, intent.id));
}

/**
 * Settles the landings of dead processes: removes their locks and, if the ref had not moved, reverts their files
 * in the checkouts. Files that were changed since then are left. Returns what was done.
 */
export async function settleLandings(repo: Repository): Promise<string[]> {
  const done: string[] = [];
  const host = systemHost();
  for (const name of await readdir(intentFolder(repo)).catch(() => [])) {
    const intent = intentSchema.safeParse(await readJson(join(intentFolder(repo), name))).data;
    if (intent === undefined || !isOver(host, intent)) continue;
    const released = await releaseLocks(repo, intent);
    if (released === null) continue;
    done.push(...released.map((lock) => `removed the stale lock ${lock}`));
    if ((await branchHead(repo, intent.baseBranch)) === intent.expected) done.push(...(await takeBack(repo, intent)));
    await forgetLanding(repo, intent);
    done.push(`settled the landing of ${intent.commit} on ${intent.baseBranch}`);
  }
  return done;
}

function isOver(host: HostIdentity, { id, process }: LandingIntent): boolean {
  const isOurs = process.host === host.host && process.pid === host.pid && process.startedAt === host.startedAt;
  return isOurs ? !active.has(id) : host.isDead(process);
}

async function takeBack(repo: Repository, { id, expected, commit, checkouts }: LandingIntent): Promise<string[]> {
  const entries = (await rawBetween(await repo.vault(), expected, commit)).map(reversed);
  const done: string[] = [];
  for (const { paths, ...checkout } of checkouts) {
    const ours = new Set(paths);
    const change = { from: commit, to: expected, entries: entries.filter(({ path }) => ours.has(path)) };
    const advance = await planAdvance(repo, checkout, change).catch(unlessInTheWay);
    if (advance === undefined) {
      done.push(`left ${checkout.root} unchanged: its files were edited since the landing`);
      continue;
    }
    await dropStaging(checkout, id);
    await performAdvance(repo, advance, stagingFor(checkout, id), []);
    done.push(`reverted ${advance.pending.length} files in ${checkout.root}`);
  }
  return done;
}

function unlessInTheWay(error: unknown): undefined {
  if (!(error instanceof SlipwayError) || error.code !== "checkout_in_the_way") throw error;
}

function intentFolder(repo: Repository): string {
  return join(repo.commonDir, "slipway", "intents");
}

function fileOf(repo: Repository, id: string): string {
  return join(intentFolder(repo), `${id}.json`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
