import { RESULTS } from "@slipway/agents/invoke";
import { createPack, type Pack, type PackItem } from "@slipway/agents/pack";
import type { TreeFile } from "@slipway/kernel/change/views/context";
import type { LatestEvidence } from "@slipway/kernel/change/judge/latest-evidence";
import { plannedFiles, type Plan } from "@slipway/kernel/change/plan/schema";
import type { Entries } from "./batch.ts";
import { stableExcerpt } from "./excerpt.ts";
import type { LastAttempt } from "../change/phase.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { ChangeRun } from "../change/change-run.ts";

/** Limit of the file text in one pack; the list of paths is always complete. */
const MAX_FILE_BYTES = 192 * 1024;

export interface PackWish {
  readonly role: WorkerRole;
  readonly last: LastAttempt;
  /** Files the worker asked for; they come first. */
  readonly show: readonly string[];
  /** For QA: the entries of this batch. */
  readonly entries?: Entries | undefined;
}

/**
 * Everything this role may see of the feature, in a fixed order. The pack does not depend on the time, on ids of the run or on the
 * progress of other features, so the same work gives the same pack.
 */
export async function packFor(change: ChangeRun, { role, last, show, entries }: PackWish): Promise<Pack> {
  const { features } = change.services.kernel;
  const context = await features.context(change.id);
  const { evidence } = await features.getContext(change.id);
  const shown = choose(context.files, [...show, ...(role === "planner" ? [] : plannedPaths(context.plan))]);
  const contents = await Promise.all(
    shown.map(async (file): Promise<PackItem> => ({ title: file.path, kind: "file", text: await features.readTreeFile(file) })),
  );
  return createPack([
    { title: "specification", kind: "spec", text: context.spec },
    ...(role === "planner" ? [{ title: "rules of this repository", kind: "policy", text: rulesText(change, context.plan) }] : []),
    { title: "state", kind: "state", text: pretty(context.state) },
    ...(context.plan === null ? [] : [{ title: "accepted plan", kind: "plan", text: pretty(context.plan) }]),
    { title: "latest evidence", kind: "evidence", text: evidenceText(evidence.gate) },
    { title: "changed so far", kind: "diff", text: context.diffStat },
    ...(entries === undefined ? [] : [{ title: "open entries of the test index", kind: "qa_index", text: pretty(entries) }]),
    { title: "files in the repository", kind: "listing", text: context.files.map(({ path }) => path).join("\n") },
    ...contents,
    { title: "last tool results", kind: RESULTS, text: await resultsText(change, last) },
  ]);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The rules that the kernel checks a plan against, so that the planner need not learn them from refusals. */
function rulesText({ services, id }: ChangeRun, current: Plan | null): string {
  const { policy, gates } = services.kernel.configuration;
  return pretty({
    feature_id: id,
    plan_version: (current?.plan_version ?? 0) + 1,
    base_ref: policy.worktree.base_branch,
    gate_profiles: Object.keys(gates.profiles),
    area_matching: policy.path_rules.matching,
    protected_areas: policy.protected_areas,
    locks: { resources: policy.locks.resources, contracts: policy.locks.contract_to_resource, paths: policy.locks.path_resources },
    max_files: policy.patch_policy.max_files,
  });
}

function plannedPaths(plan: Plan | null): string[] {
  return plan === null ? [] : plannedFiles(plan).map(({ path }) => path);
}

/** The wanted files first, then the rest in path order, up to the limit. */
function choose(files: readonly TreeFile[], paths: readonly string[]): TreeFile[] {
  const wanted = new Set(paths);
  const first = files.filter(({ path }) => wanted.has(path));
  const rest = files.filter(({ path }) => !wanted.has(path) && !path.startsWith("slipway/"));
  let room = MAX_FILE_BYTES;
  return [...first, ...rest].filter(({ bytes }) => (room -= bytes) >= 0);
}

/** Without times, ids and paths of this machine, so that it is the same in every run. */
function evidenceText(gate: LatestEvidence["gate"]): string {
  if (gate === null) return "no gate has run yet";
  const steps = gate.steps.map(
    ({ name, status, exit_code }) => `${name}: ${status}${exit_code === null ? "" : ` (exit code ${exit_code})`}`,
  );
  return [`${gate.mode} gates: ${gate.passed ? "pass" : "fail"}`, ...steps].join("\n");
}

async function resultsText({ services, id }: ChangeRun, last: LastAttempt): Promise<string> {
  if (last === null) return "none";
  if ("comment" in last) return `A person wrote:\n${last.comment}`;
  if ("reply" in last) return last.reply;
  const { code, message } = last.failure;
  const isGateFailure = code.startsWith("gate") || code === "coverage_below_minimum" || code === "no_tests_ran";
  const log = isGateFailure ? await services.kernel.features.lastFailedLog(id) : null;
  return `${code}: ${stableExcerpt(message)}${log === null ? "" : `\n\nEnd of the log:\n${stableExcerpt(log)}`}`;
}
