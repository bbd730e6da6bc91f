import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { SlipwayError } from "../../../schema/errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import type { RecordedStep } from "../gates/store.ts";
import { submodulesOf } from "../../../host/git/tree-listing.ts";
import { likelyCause, type FailureCause } from "./causes.ts";
import type { TrialCounts, TrialRecord } from "./store.ts";
import type { TrialStatus } from "./verdict.ts";

/** The result of a gate on a tree without a feature. */
export interface Trial extends Pick<TrialCounts, "tests" | "coverage"> {
  readonly profile: string;
  readonly mode: string;
  readonly status: TrialStatus;
  /** An earlier result that is still valid: nothing was run. */
  readonly remembered: boolean;
  readonly failure: Pick<Failure, "code" | "message"> | null;
  /** The step that failed. */
  readonly step: FailedStep | null;
  readonly cause: FailureCause | null;
  readonly steps: readonly RecordedStep[];
}

export interface FailedStep {
  readonly name: string;
  readonly command: readonly string[];
  readonly exit_code: number | null;
  readonly log_path: string;
  /** Its last lines, redacted and without escape sequences. */
  readonly log_tail: readonly string[];
}

const SHOWN_LINES = 20;

export interface Sight {
  readonly tree: string;
  readonly network: (step: string) => boolean;
  readonly notes: readonly string[];
}

/** The record for readers: with the end of the log and the likely cause of a failure. */
export async function trialOf(dependencies: FeatureDependencies, record: TrialRecord, remembered: boolean, sight: Sight): Promise<Trial> {
  const { profile, mode, status, failure, steps, counts } = record;
  const failed = steps.find((step) => step.status === "fail") ?? null;
  const log = failed?.log_digest == null ? "" : Buffer.from(await dependencies.objects.get(failed.log_digest)).toString("utf8");
  const step = failed && {
    name: failed.name,
    command: failed.command,
    exit_code: failed.exit_code,
    log_path: failed.log_path,
    log_tail: lastLines(log),
  };
  return {
    profile,
    mode,
    status,
    remembered,
    tests: counts.tests,
    coverage: counts.coverage,
    failure: failure && { code: failure.code, message: failure.message },
    step,
    cause: status === "fail" && failure !== null ? await causeOf(dependencies, failure, failed, log, sight) : null,
    steps,
  };
}

/** A gate that cannot be tried counts as failed: no change can pass it. */
export async function untried(
  dependencies: FeatureDependencies,
  { profile, mode }: Pick<Trial, "profile" | "mode">,
  error: unknown,
  sight: Sight,
): Promise<Trial> {
  if (!(error instanceof SlipwayError) || error.details.retryable || NOT_ABOUT_THE_GATE.has(error.code)) throw error;
  const { code, message, details } = toFailure(error);
  const cause = await causeOf(dependencies, { code, message, details }, null, "", sight);
  const nothing = { remembered: false, step: null, steps: [], tests: null, coverage: null };
  return { profile, mode, status: "fail", failure: { code, message }, cause, ...nothing };
}

/** Errors that are not about the gate: a bug, a missing right, a lost lease, a stop. */
const NOT_ABOUT_THE_GATE: ReadonlySet<string> = new Set([
  "internal_error",
  "forbidden_tool_for_role",
  "lease_lost",
  "run_cancelled",
  "run_stopped",
  "io_error",
]);

function lastLines(log: string): string[] {
  const lines = stripVTControlCharacters(log).trimEnd().split("\n");
  return lines.slice(-SHOWN_LINES).map((line) => line.replaceAll(/[\p{Cc}\p{Cf}](?<!\t)/gu, "\uFFFD"));
}

async function causeOf(
  dependencies: FeatureDependencies,
  failure: Failure,
  failed: RecordedStep | null,
  log: string,
  sight: Sight,
): Promise<FailureCause> {
  const started = failed?.program?.interpreter ?? failed?.program ?? null;
  return likelyCause({
    code: failure.code,
    message: failure.message,
    exitCode: failed?.exit_code ?? null,
    log: log.slice(-LOOKED_AT),
    network: failed !== null && sight.network(failed.name),
    hidden: hiddenFolders(dependencies),
    submodules: await submodulesOf(dependencies.repository.git, sight.tree),
    program: started === null ? null : `${started.path}${started.version === null ? "" : ` ${started.version}`}`,
    notes: sight.notes,
  });
}

const LOOKED_AT = 16 * 1024;
const PACKAGES = ["node_modules", ".venv", "venv"];

/** In the checkout's root, and in the usual folders of workspaces. */
function hiddenFolders({ layout: { root }, configuration: { policy } }: FeatureDependencies): string[] {
  const parents = ["", ...["packages", "apps", "libs"].flatMap((folder) => foldersIn(root, folder))];
  const folders = parents.flatMap((parent) => PACKAGES.map((name) => join(parent, name))).filter((path) => existsSync(join(root, path)));
  return folders.filter((path) => !policy.sandbox.shared_paths.some((shared) => path === shared || path.startsWith(`${shared}/`)));
}

function foldersIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}
