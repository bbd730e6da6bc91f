import type { Engine } from "@slipway/durable/engine";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Records } from "@slipway/kernel/record/storage";
import type { RunAgents } from "../dispatch/run-agents.ts";
import type { Arguments } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";

/** What a command works with, besides its arguments: where its output goes, and the ways to what is recorded. */
export interface Surface extends Io {
  /** Records and runs, for a command that looks or answers: no configuration, no sandbox, no agents. */
  reader<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Policy and git besides the records, for a command that carries no run out. */
  kernel<T>(work: (kernel: Kernel) => Promise<T>): Promise<T>;
  /** Begins a run and carries it out until it ends or a person is needed; an exit code where there is nothing to begin. */
  run(args: Arguments, begin: (starter: Starter) => Promise<Begun | ExitCode>): Promise<ExitCode>;
}

export interface Reader {
  readonly records: Records;
  readonly engine: Engine;
}

export interface Begun {
  readonly runId: string;
  /** Said behind the run's id. */
  readonly note?: string;
}

/** What a run is begun with. */
export interface Starter {
  readonly records: Records;
  readonly kernel: Kernel;
  readonly engine: Engine;
  /** Refuses, before anything is recorded, a choice of agents that cannot work. */
  assertAgents(protocol: string): Promise<void>;
  /** Who plays which role, by what was said at the command line, in the environment and in agents.yaml. */
  agents(protocol: string): Promise<RunAgents>;
  /** Opens the sandbox, and refuses where there is none: found out now rather than after agents have been paid. */
  sandbox(): Promise<unknown>;
  /** Records the run as `YYYY-MM-DD_slug`, with a number when the day already has one, and returns its id. */
  start(workflow: string, slug: string, input: unknown): Promise<string>;
}
