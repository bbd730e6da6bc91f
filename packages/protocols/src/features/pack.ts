import { createPack, type Pack, type PackItem } from "@slipway/agents/pack";
import type { TreeFile } from "@slipway/kernel/features/context";
import { stableExcerpt } from "./excerpt.ts";
import type { Last } from "./phase.ts";
import type { WorkerRole } from "./schemas.ts";
import type { Shop } from "./shop.ts";

/** How much file text one pack may carry; the list of paths is always complete. */
const MAX_FILE_BYTES = 192 * 1024;

/** Exactly what this role may see of the feature, in a fixed order. */
export async function packFor(shop: Shop, id: string, role: WorkerRole, last: Last): Promise<Pack> {
  const { features } = shop.kernel;
  const context = await features.context(id);
  const shown = choose(context.files, role === "planner" ? null : planned(context.plan));
  const contents = await Promise.all(
    shown.map(async (file): Promise<PackItem> => ({ title: file.path, kind: "file", text: await features.readTreeFile(file) })),
  );
  const items: PackItem[] = [
    { title: "specification", kind: "spec", text: context.spec },
    ...(role === "planner" ? [{ title: "rules of this repository", kind: "policy", text: rulesText(shop, id) }] : []),
    { title: "state", kind: "state", text: JSON.stringify(context.state, null, 2) },
    ...(context.plan === null ? [] : [{ title: "accepted plan", kind: "plan", text: JSON.stringify(context.plan, null, 2) }]),
    { title: "changed so far", kind: "diff", text: context.diffStat },
    { title: "files in the repository", kind: "listing", text: context.files.map(({ path }) => path).join("\n") },
    ...contents,
    { title: "last tool results", kind: "results", text: await resultsText(shop, id, last) },
  ];
  return createPack(items);
}

/** What a plan is judged by, so that nobody has to find out by being refused. */
function rulesText({ kernel: { configuration } }: Shop, id: string): string {
  const { policy, gates } = configuration;
  const rules = {
    feature_id: id,
    plan_version: 1,
    base_ref: policy.worktree.base_branch,
    gate_profiles: Object.keys(gates.profiles),
    area_matching: policy.path_rules.matching,
    protected_areas: policy.protected_areas,
    locks: { resources: policy.locks.resources, contracts: policy.locks.contract_to_resource, paths: policy.locks.path_resources },
    max_files: policy.patch_policy.max_files,
  };
  return JSON.stringify(rules, null, 2);
}

function planned(plan: { files: { create: string[]; modify: string[]; delete: string[] } } | null): ReadonlySet<string> | null {
  return plan === null ? null : new Set([...plan.files.create, ...plan.files.modify, ...plan.files.delete]);
}

/** Planned files first, then the rest in path order, as long as they fit. */
function choose(files: readonly TreeFile[], wanted: ReadonlySet<string> | null): TreeFile[] {
  const first = wanted === null ? [] : files.filter(({ path }) => wanted.has(path));
  const rest = files.filter(({ path }) => wanted?.has(path) !== true && !path.startsWith("slipway/"));
  let room = MAX_FILE_BYTES;
  return [...first, ...rest].filter(({ bytes }) => (room -= bytes) >= 0);
}

async function resultsText(shop: Shop, id: string, last: Last): Promise<string> {
  if (last === null) return "none";
  if ("comment" in last) return `A person wrote:\n${last.comment}`;
  const log =
    last.failure.code.startsWith("gate") || last.failure.code === "coverage_below_minimum"
      ? await shop.kernel.features.lastFailedLog(id)
      : null;
  const excerpt = log === null ? "" : `\n\nEnd of the log:\n${stableExcerpt(log)}`;
  return `${last.failure.code}: ${stableExcerpt(last.failure.message)}${excerpt}`;
}
