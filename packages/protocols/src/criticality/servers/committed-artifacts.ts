import { SlipwayError } from "@slipway/agents/errors";
import { isFinished } from "@slipway/durable/status";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Decision } from "@slipway/kernel/record/decisions/decision";
import { recordedRun } from "@slipway/kernel/record/runs";
import { CONFIG_FILE, parseConfig, type CriticalityConfig } from "../config/config.ts";
import { committedFiles } from "../prepare.ts";
import { readArtifacts, type RunArtifacts } from "../run-artifacts.ts";
import { readSpec } from "../spec/read-spec.ts";
import type { SystemSpec } from "../spec/schema.ts";
import { readRun } from "../store.ts";

/** Where an artifact was read: the base branch, or the records of a run. */
export type ArtifactSource = { readonly kind: "base_branch"; readonly path: string } | { readonly kind: "run"; readonly run_id: string };

/** The newest run, with the artifacts that its phases have recorded. It holds no interview, no archive and no bodies. */
export interface RecordedWork {
  readonly runId: string;
  readonly isFinished: boolean;
  readonly state: unknown;
  readonly artifacts: RunArtifacts;
}

export async function newestWork({ records }: Kernel): Promise<RecordedWork | null> {
  const row = await readRun(records.database.db, null);
  if (row === null) return null;
  const run = await recordedRun(records, row.run_id);
  return {
    runId: row.run_id,
    isFinished: run === null || isFinished(run.status),
    state: JSON.parse(row.state) as unknown,
    artifacts: readArtifacts(row.artifacts),
  };
}

export async function committedConfig(kernel: Kernel): Promise<CriticalityConfig> {
  return parseConfig(await committedFiles(kernel)(CONFIG_FILE)).config;
}

export interface CommittedSpec {
  readonly source: ArtifactSource;
  readonly text: string;
}

/** The specification: of the newest run while it is under way, otherwise of the base branch, otherwise of the last run. */
export async function committedSpec(kernel: Kernel): Promise<CommittedSpec> {
  const work = await newestWork(kernel);
  const path = (await committedConfig(kernel)).project.spec_path;
  const ofRun = work?.artifacts.spec == null ? null : { source: { kind: "run", run_id: work.runId } as const, text: work.artifacts.spec };
  if (ofRun !== null && work?.isFinished === false) return ofRun;
  const text = await committedFiles(kernel)(path);
  const found = text === null ? ofRun : { source: { kind: "base_branch", path } as const, text };
  if (found !== null) return found;
  throw missingArtifact(`There is no specification: the base branch has no ${path}, and no run has recorded one.`);
}

export async function readCommittedSpec(kernel: Kernel): Promise<{ readonly source: ArtifactSource; readonly spec: SystemSpec }> {
  const { source, text } = await committedSpec(kernel);
  return { source, spec: readSpec(source.kind === "run" ? "spec.toml" : source.path, text) };
}

/** The decisions of the newest run. */
export async function committedDecisions(kernel: Kernel): Promise<{ readonly work: RecordedWork; readonly entries: Decision[] }> {
  const work = await newestWork(kernel);
  if (work === null) throw missingArtifact("There is no ledger: no run has recorded decisions.");
  return { work, entries: await kernel.decisions.list(scopeOf(work)) };
}

export function scopeOf({ runId }: Pick<RecordedWork, "runId">): string {
  return `run:${runId}`;
}

export function missingArtifact(message: string, next = "Start a run: `slipway criticality`."): SlipwayError {
  return new SlipwayError("input_path_not_found", message, { suggested_next_actions: [next] });
}
