import { SlipwayError } from "../../../schema/errors.ts";
import { toFailure, type ErrorCode, type Failure } from "@slipway/durable/errors";
import type { SpawnError } from "../../../host/launcher/protocol.ts";
import type { LimitName, ProcessOutcome } from "../../../host/sandbox/contract.ts";
import type { PlannedStep } from "./precedence.ts";
import { GATES_FILE } from "../../../config/gates.ts";

export interface StepContext {
  readonly profile: string;
  readonly mode: string;
  readonly step: PlannedStep;
  /** The beginning of a message, for a step that is not of a gate. */
  readonly title?: string | undefined;
}

export function titleOf({ title, mode, step }: StepContext): string {
  return title ?? `Step "${step.name}" of the ${mode} gate`;
}

/** Why a step failed; null if it passed. */
export function stepFailure(outcome: ProcessOutcome, context: StepContext): Failure | null {
  const { step } = context;
  const name = titleOf(context);
  if (outcome.spawnError !== undefined) return notStarted(outcome.spawnError, context, name);
  if (outcome.timedOut) {
    return failure("gate_timeout", `${name} was stopped after ${step.timeoutSeconds} seconds.`, context, {
      timeout_seconds: step.timeoutSeconds,
      suggested_next_actions: [`Find out why it does not finish, or raise timeout_seconds of the step in ${GATES_FILE}.`],
    });
  }
  if (outcome.limit !== null) {
    return failure("sandbox_limit_exceeded", `${name} was stopped: it used more ${MEANINGS[outcome.limit]} than a step may.`, context, {
      limit: outcome.limit,
      suggested_next_actions: ["Read the log to see what it was doing; make the step do less in parallel."],
    });
  }
  if (outcome.exitCode === 0) return null;
  const how = outcome.exitCode === null ? `was ended by ${outcome.signal}` : `failed with exit code ${outcome.exitCode}`;
  const hint = outcome.exitCode === 126 || outcome.exitCode === 127 ? " This code usually means that a program was not found." : "";
  return failure("gate_failed", `${name} ${how}.${hint}`, context, {
    exit_code: outcome.exitCode,
    suggested_next_actions: ["Read the end of its log, and fix what it reports."],
  });
}

const MEANINGS = {
  processes: "processes",
  threads: "threads",
  memory: "memory",
  output: "output",
  disk: "disk space",
  files: "files",
} as const satisfies Record<LimitName, string>;

function notStarted(error: SpawnError, context: StepContext, name: string): Failure {
  const program = context.step.command[0];
  if (error.code === "ENOENT" || error.code === "EACCES" || error.code === "ENOEXEC") {
    return failure("gate_command_missing", `${name} cannot start "${program}": ${error.message}`, context, {
      suggested_next_actions: [
        `Install "${program}", or correct cmd of step "${context.step.name}" in profile "${context.profile}" of ${GATES_FILE}.`,
        `If it is installed outside /usr, add its folder to sandbox.read_only in slipway/policy.yaml and to PATH in the step's env.`,
      ],
    });
  }
  const code = error.transient ? "transient_exec_failure" : error.code === "SANDBOX_SETUP" ? "sandbox_unavailable" : "gate_failed";
  return failure(code, `${name} could not be started: ${error.message}`, context, {
    suggested_next_actions: error.transient
      ? ["Run the gate again when the machine is less busy."]
      : ["Run `slipway doctor` to see whether the sandbox works."],
  });
}

function failure(code: ErrorCode, message: string, { profile, mode, step }: StepContext, details: Record<string, unknown>): Failure {
  return toFailure(
    new SlipwayError(code, message, {
      file: GATES_FILE,
      field: `profiles.${profile}.modes.${mode}`,
      profile,
      mode,
      step: step.name,
      command: step.command,
      ...details,
    }),
  );
}

/** Never retried, even if listed as transient: these codes report a defect, not a busy machine. */
const NEVER_AGAIN: ReadonlySet<ErrorCode> = new Set([
  "gate_failed",
  "gate_command_missing",
  "path_out_of_bounds",
  "policy_violation",
  "schema_validation_failed",
  "config_invalid",
  "forbidden_tool_for_role",
  "unauthenticated",
  "invalid_override_precedence",
]);

export function isRetried({ code }: Failure, transientErrorCodes: readonly string[]): boolean {
  return transientErrorCodes.includes(code) && !NEVER_AGAIN.has(code);
}
