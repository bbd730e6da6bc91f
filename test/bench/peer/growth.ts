import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { featureOf, type Contest } from "./contest.ts";
import { startSide } from "./side.ts";
import { timed } from "./statistics.ts";

const run = promisify(execFile);

/** Numbers of features at which the dashboard is read, and of accepted plans at which a plan is submitted. */
export const DASHBOARDS = [1, 10, 50, 100] as const;
export const PLANS = [0, 10, 100] as const;
/** A submitted plan adds an accepted plan: each figure covers this many in a row. */
export const WINDOW = 7;
const ASKED = 15;
const RAW = 20;
const FIFTY = 50;

export interface Growth {
  /** `git branch` and `git worktree add`, nothing else. */
  readonly rawInit: readonly number[];
  readonly bytesAtFifty: number;
}

/** One repository from its first feature to its hundredth, as one run of each side would fill it. */
export async function grow(contest: Contest): Promise<Growth> {
  await contest.open("growing");
  const rawInit: number[] = [];
  let bytesAtFifty = Number.NaN;
  for (let number = 0; number < 100 + WINDOW; number++) {
    const window = PLANS.find((plans) => number >= plans && number < plans + WINDOW);
    await contest.addFeature(number, { init: "feature.init", plan: window === undefined ? null : planRow(window) });
    if (number < RAW) rawInit.push(await timed(() => branchAndWorktree(contest.plain, featureOf(number))));
    const asked = DASHBOARDS.find((features) => features === number + 1);
    if (asked !== undefined) for (let time = 0; time < ASKED; time++) await contest.both(dashboardRow(asked), "report.dashboard");
    if (number + 1 === FIFTY) bytesAtFifty = await memoryFor(contest.rootOf("growing"));
  }
  return { rawInit, bytesAtFifty };
}

export function planRow(plans: number): string {
  return `plan.submit with ${plans} accepted plans`;
}

export function dashboardRow(features: number): string {
  return `report.dashboard at ${features} ${features === 1 ? "feature" : "features"}`;
}

/** A new process that opens the repository, reads its fifty features and writes to each. */
async function memoryFor(root: string): Promise<number> {
  const side = startSide("ours.ts");
  await side.open(root);
  for (let number = 0; number < FIFTY; number++) {
    await side.call("feature.state_get", { feature_id: featureOf(number) });
    await side.call("feature.log_append", { feature_id: featureOf(number), note: "One of fifty." });
    await side.call("report.dashboard");
  }
  const bytes = await side.memoryBytes();
  await side.close();
  return bytes;
}

async function branchAndWorktree(root: string, name: string): Promise<void> {
  await run("git", ["branch", name, "main"], { cwd: root });
  await run("git", ["worktree", "add", "--quiet", join(root, ".worktrees", name), name], { cwd: root });
}
