import type { Engine } from "@slipway/durable/engine";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Records } from "@slipway/kernel/record/storage";
import type { RunAgents } from "../dispatch/run-agents.ts";
import type { Arguments } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import type { PersonPrompt } from "./person-prompt.ts";

/** What a command works with besides its arguments: input, output and access to the records. */
export interface Surface extends Io {
  /** Records and runs, for a command that reads or answers: no configuration, no sandbox, no agents. */
  reader<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Policy, git and records, for a command that drives no run. */
  kernel<T>(work: (kernel: Kernel) => Promise<T>): Promise<T>;
  /** Begins a run and drives it until it ends or needs a person. `begin` returns an exit code if there is nothing to begin. */
  run(args: Arguments, begin: (starter: Starter) => Promise<Begun | ExitCode>): Promise<ExitCode>;
  /** Continues a recorded run until it ends or needs a person, as `slipway resume` does. */
  resume(args: Arguments, runId: string): Promise<ExitCode>;
  /** Asks the person at the terminal. Only while `interactive` is set. */
  readonly prompt: PersonPrompt;
}

export interface Reader {
  readonly records: Records;
  readonly engine: Engine;
}

export interface Begun {
  readonly runId: string;
  /** Printed after the run's id. */
  readonly note?: string;
}

/** What a protocol needs to begin a run. */
export interface Starter {
  readonly records: Records;
  readonly kernel: Kernel;
  readonly engine: Engine;
  /** Refuses a choice of agents that cannot work, before anything is recorded. */
  assertAgents(protocol: string): Promise<void>;
  /** The agent of each role, from the command line, the environment and agents.yaml. */
  agents(protocol: string): Promise<RunAgents>;
  /** Opens the sandbox; throws if there is none, so that no agent is paid in vain. */
  sandbox(): Promise<unknown>;
  /** Records the run as `YYYY-MM-DD_slug`, with a number if that id exists, and returns its id. */
  start(workflow: string, slug: string, input: unknown): Promise<string>;
}
