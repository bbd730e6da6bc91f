import { dirname, join } from "node:path";
import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { fromFailure } from "@slipway/durable/errors";
import { SlipwayError } from "../../../schema/errors.ts";
import { realWorktree } from "../../../host/sandbox/request.ts";
import { logPathOf, runStep, type StepResult, type StepSurroundings } from "../gates/step.ts";
import { openStepTrees, type StepTrees } from "../gates/step-trees.ts";
import type { GateRequest } from "../gates/run.ts";
import type { TreeCheckout } from "../trials/with-tree.ts";
import { countTests, type CountedTests } from "./count-tests.ts";
import type { CheckCommand, CommandsInput } from "./input.ts";
import { layOut } from "./throwaway.ts";

/** What happened to one command. */
export interface RanCommand {
  readonly name: string;
  /** Redacted. */
  readonly command: readonly string[];
  readonly status: "pass" | "fail" | "skipped";
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly timed_out: boolean;
  /** The end of its output, redacted and without escape sequences. */
  readonly output: string;
  readonly log_digest: string | null;
  readonly tests: CountedTests | null;
}

export interface CommandsWatch {
  readonly signal?: AbortSignal | undefined;
  /** Called with redacted text. */
  readonly onOutput?: ((name: string, text: string) => void) | undefined;
}

type Settings = Omit<GateRequest, "config" | "profile" | "mode" | "logFolder" | "worktree" | "resetTree" | "trackedPaths">;

export interface CommandsToRun extends CommandsWatch {
  readonly input: Pick<CommandsInput, "commands" | "stop_at_failure">;
  /** Sandbox, environment, limits and redaction, as a gate has them. */
  readonly settings: Settings;
  readonly keepLog: (log: Uint8Array) => Promise<string>;
}

const OUTPUT_BYTES = 64 * 1024;

/** Failures of the machine, which say nothing about the tree. */
const NO_OBSERVATION: ReadonlySet<string> = new Set(["sandbox_unavailable", "transient_exec_failure"]);

/** Runs the commands in order, each on the tree alone. */
export async function runCommands(checkout: TreeCheckout, run: CommandsToRun): Promise<RanCommand[]> {
  const { input, settings, signal } = run;
  const worktree = realWorktree(checkout.worktree);
  const { sandbox, scratch = dirname(worktree) } = settings;
  await using trees = openStepTrees({ worktree, sandbox, scratch, resetTree: checkout.resetTree }, []);
  const results: RanCommand[] = [];
  let stopped = false;
  for (const [index, command] of input.commands.entries()) {
    if (stopped) {
      results.push(skipped(command, run));
      continue;
    }
    throwIfStopped(signal);
    const result = await runOne(command, join(dirname(worktree), "logs"), index, worktree, trees, run);
    throwIfStopped(signal);
    results.push(result);
    stopped = input.stop_at_failure === true && result.status === "fail";
  }
  return results;
}

async function runOne(
  command: CheckCommand,
  logs: string,
  index: number,
  worktree: string,
  trees: StepTrees,
  { settings, keepLog, onOutput, signal }: CommandsToRun,
): Promise<RanCommand> {
  const { policy } = settings;
  const step = {
    name: command.name,
    command: command.command,
    cwd: command.cwd ?? ".",
    env: {},
    timeoutSeconds: command.timeout_seconds ?? policy.defaultStepTimeoutSeconds,
    network: false,
    produces: [],
  };
  const tree = await trees.open(command.name);
  try {
    layOut(tree.written, command);
    const surroundings: StepSurroundings = {
      profile: "",
      mode: "",
      title: `The command "${command.name}"`,
      worktree,
      tree,
      sandbox: settings.sandbox,
      hostEnv: settings.hostEnv,
      envAllowlist: policy.envAllowlist,
      transientErrorCodes: policy.transientErrorCodes,
      transientMaxRetries: policy.transientMaxRetries,
      toolchain: settings.toolchain,
      readOnly: settings.readOnly ?? [],
      shared: settings.shared ?? [],
      limits: settings.limits ?? {},
      redact: settings.redact,
      signal,
      onOutput,
    };
    const result = await runStep(step, logPathOf(logs, index, step.name), surroundings);
    if (result.failure !== undefined && NO_OBSERVATION.has(result.failure.code)) throw fromFailure(result.failure);
    return await ranCommand(command, result, settings, keepLog);
  } finally {
    await tree.close(false);
  }
}

async function ranCommand(
  { command }: CheckCommand,
  result: StepResult,
  { redact }: Pick<Settings, "redact">,
  keepLog: CommandsToRun["keepLog"],
): Promise<RanCommand> {
  const { name, status, exitCode, durationMs, timedOut, logPath, truncated } = result;
  const log = readFileSync(logPath);
  const text = stripVTControlCharacters(log.toString("utf8"));
  return {
    name: redact.text(name),
    command: redact.value(command),
    status,
    exit_code: exitCode,
    duration_ms: Math.round(durationMs),
    timed_out: timedOut,
    output: endOf(text),
    log_digest: log.length === 0 ? null : await keepLog(log),
    tests: countTests(text, { command, isWhole: !truncated }),
  };
}

function skipped({ name, command }: CheckCommand, { settings: { redact } }: CommandsToRun): RanCommand {
  const nothing = { exit_code: null, duration_ms: 0, timed_out: false, output: "", log_digest: null, tests: null };
  return { name: redact.text(name), command: redact.value(command), status: "skipped", ...nothing };
}

/** Begins with a whole character. */
function endOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= OUTPUT_BYTES) return text;
  let start = bytes.length - OUTPUT_BYTES;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}

function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new SlipwayError("run_stopped", "The commands were stopped before they finished.", {}, { cause: signal.reason });
}
