import type { JournalEvent } from "@slipway/durable/chain";
import type { Workflow } from "@slipway/durable/ctx";
import type { Kernel } from "@slipway/kernel/kernel";
import type { OwnMigrations } from "@slipway/kernel/record/database/migration";
import type { AgentDesk } from "./desk.ts";
import type { Line } from "./narration/line.ts";
import type { RunNode } from "./run-view.ts";
import type { CommandSpec } from "./surface/command.ts";
import type { Reader } from "./surface/surface.ts";

/** What the program knows of a protocol before it loads it. */
export interface ProtocolEntry {
  /** `--protocol NAME`, `slipway NAME`, `roles/NAME/`, and the prefix of its roles in agents.yaml. */
  readonly name: string;
  readonly summary: string;
  readonly takes: "specifications" | "a page" | "a request" | "an interview";
  /** "one change": the shell gates it, asks for the approval and merges it. */
  readonly delivers: "changes" | "one change";
  /** Names of its workflows that can be started by themselves: a run is of the protocol that has its workflow here. */
  readonly started: readonly string[];
  /** `slipway NAME …`, which `slipway run --protocol NAME …` runs as well; subcommands are its own. */
  readonly command: CommandSpec;
  /** A command of its own that answers the question, where `slipway answer` would not do. */
  readonly answerCommand?: (question: AskedQuestion) => string | null;
  /** Its tables, if it has any. They are brought up to date whenever the records are opened. */
  readonly tables?: () => Promise<OwnMigrations>;
  readonly load: () => Promise<Protocol>;
}

export interface AskedQuestion {
  readonly kind: string;
  readonly context?: Readonly<Record<string, unknown>>;
}

export type AnyWorkflow = Workflow<never, unknown, never>;

/** A protocol, loaded. */
export interface Protocol {
  /** What can be started by itself, in the order of `ProtocolEntry.started`. */
  readonly started: readonly AnyWorkflow[];
  /** Its other workflows. A run and everything below it are pinned to the versions they began with. */
  readonly parts: readonly AnyWorkflow[];
  open(host: Host): Services;
  /** Null for what says nothing to a person, and for streams of other protocols. */
  narrate(event: JournalEvent): Line | null;
  /** What there is of a run below its own node, as one tree. */
  view(reader: Reader, runId: string): Promise<RunNode[]>;
  /** What a completed run came to: its exit code and last words, the same for `run`, `watch` and `resume`. */
  describe(result: unknown): Ending;
}

/** What a protocol is opened with. */
export interface Host {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the workflows of a protocol work with. */
export interface Services {
  readonly workflows: unknown;
  /** Before a run goes on: refuses with a reason what cannot work. */
  readonly ready?: (workflow: string) => Promise<void>;
  readonly close?: () => void;
}

export interface Ending {
  /** Whether everything that was asked for is there. */
  readonly done: boolean;
  readonly lines: readonly string[];
}
