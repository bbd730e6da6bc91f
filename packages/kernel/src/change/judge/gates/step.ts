import { join } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import type { Limits, ProcessOutcome, Sandbox, SharedPath } from "../../../host/sandbox/contract.ts";
import { kindAt, resolveBelow } from "../../../host/sandbox/paths.ts";
import type { Redactor } from "../../../host/redaction/contract.ts";
import { stepEnvironment } from "./environment.ts";
import { seenProgram, type SeenProgram } from "../../../host/toolchain/program.ts";
import type { Toolchain } from "../../../host/toolchain/resolve.ts";
import { openLog, type StepLog } from "./log.ts";
import type { PlannedStep } from "./precedence.ts";
import { GATES_FILE } from "../../../config/gates.ts";
import type { Product } from "./products.ts";
import { isRetried, stepFailure, titleOf, type StepContext } from "./step-failure.ts";
import type { StepTree } from "./step-trees.ts";

export interface StepResult {
  readonly name: string;
  readonly command: readonly string[];
  readonly status: "pass" | "fail" | "skipped";
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly attempts: number;
  readonly logPath: string;
  readonly logDigest: string | null;
  readonly truncated: boolean;
  readonly timedOut: boolean;
  /** The started program; null for a step that did not start. */
  readonly program: SeenProgram | null;
  /** Products for later steps. */
  readonly produced: readonly Product[];
  readonly failure?: Failure;
}

export interface StepSurroundings {
  readonly profile: string;
  readonly mode: string;
  /** Replaces the name of step and gate in messages. */
  readonly title?: string;
  readonly worktree: string;
  readonly tree: StepTree;
  readonly sandbox: Sandbox;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly envAllowlist: readonly string[];
  readonly transientErrorCodes: readonly string[];
  readonly transientMaxRetries: number;
  readonly toolchain: Toolchain | undefined;
  readonly readOnly: readonly string[];
  readonly shared: readonly SharedPath[];
  readonly limits: Partial<Limits>;
  readonly redact: Redactor;
  readonly signal: AbortSignal | undefined;
  readonly onOutput: ((step: string, text: string) => void) | undefined;
}

/** Runs one step, retries transient failures, and always writes its log. */
export async function runStep(step: PlannedStep, logPath: string, surroundings: StepSurroundings): Promise<StepResult> {
  const { onOutput } = surroundings;
  const log = openLog(surroundings.redact, onOutput && ((text) => onOutput(step.name, text)));
  const context = { profile: surroundings.profile, mode: surroundings.mode, title: surroundings.title, step };
  let attempts = 0;
  let outcome: ProcessOutcome | null = null;
  let failure: Failure | null = null;
  let produced: readonly Product[] = [];
  do {
    attempts++;
    if (attempts > 1) log.note(`attempt ${attempts}, after: ${failure?.message}`);
    failure = cwdFailure(surroundings.worktree, context);
    if (failure !== null) break;
    outcome = await attempt(step, log, surroundings);
    failure = stepFailure(outcome, context);
  } while (
    failure !== null &&
    attempts <= surroundings.transientMaxRetries &&
    isRetried(failure, surroundings.transientErrorCodes) &&
    !isAborted(surroundings)
  );
  if (failure === null && step.produces.length > 0) {
    try {
      produced = surroundings.tree.keep(step.produces);
    } catch (error) {
      failure = toFailure(error);
    }
  }
  if (failure !== null) log.note(failure.message);
  const written = log.write(logPath);
  const program = outcome === null ? null : await seenProgram(outcome, { ...surroundings, ...visibleTo(step, surroundings) });
  return {
    name: step.name,
    command: surroundings.redact.value(step.command),
    status: failure === null ? "pass" : "fail",
    exitCode: outcome?.exitCode ?? null,
    durationMs: outcome?.durationMs ?? 0,
    attempts,
    logPath,
    logDigest: written.digest,
    truncated: written.truncated,
    timedOut: outcome?.timedOut ?? false,
    program,
    produced,
    ...(failure === null ? {} : { failure: surroundings.redact.value(withLog(failure, logPath, written.excerpt)) }),
  };
}

export function skippedStep(step: PlannedStep, logPath: string, redact: Redactor): StepResult {
  const nothing = {
    exitCode: null,
    durationMs: 0,
    attempts: 0,
    logDigest: null,
    truncated: false,
    timedOut: false,
    program: null,
    produced: [],
  };
  return { name: step.name, command: redact.value(step.command), status: "skipped", logPath, ...nothing };
}

/** Two digits sort the files; the name is for people. */
export function logPathOf(folder: string, index: number, name: string): string {
  const readable = name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 80);
  return join(folder, `${String(index + 1).padStart(2, "0")}-${readable}.log`);
}

function attempt(step: PlannedStep, log: StepLog, surroundings: StepSurroundings): Promise<ProcessOutcome> {
  const { sandbox, worktree, tree, shared, limits, signal } = surroundings;
  return sandbox.run({
    worktree,
    cwd: step.cwd,
    command: step.command,
    ...visibleTo(step, surroundings),
    network: step.network,
    shared,
    limits,
    timeoutMs: step.timeoutSeconds * 1000,
    onOutput: (stream, chunk) => log.append(stream, chunk),
    ...(tree.layer === null ? {} : { layer: tree.layer }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** What a step sees of the host: its variables, and the folders that the programs on its PATH need. */
function visibleTo(step: PlannedStep, { hostEnv, envAllowlist, toolchain, readOnly }: StepSurroundings) {
  const env = stepEnvironment(hostEnv, envAllowlist, step.env, toolchain);
  return { env, readOnly: [...readOnly, ...(toolchain?.shownFor(env["PATH"] ?? "") ?? [])] };
}

/** Checked before each attempt: an earlier step may have put a link there. */
function cwdFailure(worktree: string, context: StepContext): Failure | null {
  const { profile, mode, step } = context;
  const field = `profiles.${profile}.modes.${mode}.${step.name}.cwd`;
  try {
    const cwd = resolveBelow(worktree, step.cwd, field);
    if (kindAt(cwd) === "folder") return null;
    const message = `${titleOf(context)} cannot start: its cwd "${step.cwd}" is not a folder in the worktree.`;
    return toFailure(
      new SlipwayError("gate_failed", message, { file: GATES_FILE, field, suggested_next_actions: [`Correct cwd in ${GATES_FILE}.`] }),
    );
  } catch (error) {
    return toFailure(error);
  }
}

function withLog(failure: Failure, logPath: string, excerpt: string): Failure {
  return { ...failure, details: { ...failure.details, log_path: logPath, log_tail: excerpt } };
}

function isAborted({ signal }: StepSurroundings): boolean {
  return signal?.aborted ?? false;
}
