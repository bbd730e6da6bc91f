import { createPack, type Pack, type PackItem } from "@slipway/agents/pack";
import { CONVENTIONS } from "@slipway/agents/section-voice";
import type { LatestEvidence } from "@slipway/kernel/change/judge/latest-evidence";
import { plannedFiles, type Plan } from "@slipway/kernel/change/plan/schema";
import type { Entries } from "./batch.ts";
import { checksText } from "./checks-text.ts";
import { lastAttemptSections } from "./last-attempt.ts";
import { fileSections, listingSection } from "../change/file-sections.ts";
import type { LastAttempt } from "../change/phase.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { ChangeRun } from "../change/change-run.ts";

/** Limit of the file text in one pack; the list of paths is always complete. */
const MAX_FILE_BYTES = 192 * 1024;
const MAX_DIFF_BYTES = 64 * 1024;

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
  const wanted = [...show, ...(role === "planner" ? [] : plannedPaths(context.plan))];
  const readable = context.files.filter(({ path }) => wanted.includes(path) || !path.startsWith("slipway/"));
  return createPack([
    { title: "specification", kind: "spec", text: context.spec },
    ...(role === "planner" ? [{ title: "rules of this repository", kind: "policy", text: rulesText(change) }] : []),
    { title: "checks that run on your files", kind: "checks", text: checksText(change.services.kernel.configuration.gates, context.plan) },
    { title: "state", kind: "state", text: pretty(context.state) },
    ...(context.plan === null ? [] : [{ title: "accepted plan", kind: "plan", text: pretty(context.plan) }]),
    { title: "latest evidence", kind: "evidence", text: evidenceText(evidence.gate) },
    { title: "changed so far", kind: "diff", text: context.diffStat === "" ? "nothing" : context.diffStat },
    ...(role === "qa" ? [await diffSection(change)] : []),
    ...(entries === undefined ? [] : [{ title: "open entries of the test index", kind: "qa_index", text: pretty(entries) }]),
    ...context.conventions.map(({ path, text }) => ({ title: path, kind: CONVENTIONS, text })),
    listingSection(context.files),
    ...(await fileSections(change, readable, { wanted, maxBytes: MAX_FILE_BYTES })),
    ...(await lastAttemptSections(change, last, evidence.gate?.passed ?? null)),
  ]);
}

async function diffSection({ services, id }: ChangeRun): Promise<PackItem> {
  const { text, truncated, bytes } = await services.kernel.features.diffText(id, { max_bytes: MAX_DIFF_BYTES });
  return { title: "the change so far", kind: "diff", text: truncated ? `${text}\n(cut off; ${bytes} bytes in all)` : text };
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The rules that the kernel checks a plan against, so that the planner need not learn them from refusals. */
function rulesText({ services }: ChangeRun): string {
  const { policy, gates } = services.kernel.configuration;
  return pretty({
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

/** Without times, ids and paths of this machine, so that it is the same in every run. */
function evidenceText(gate: LatestEvidence["gate"]): string {
  if (gate === null) return "no gate has run yet";
  const steps = gate.steps.map(
    ({ name, status, exit_code }) => `${name}: ${status}${exit_code === null ? "" : ` (exit code ${exit_code})`}`,
  );
  return [`${gate.mode} gates: ${gate.passed ? "pass" : "fail"}`, ...steps].join("\n");
}
