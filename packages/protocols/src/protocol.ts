import type { Role } from "@slipway/agents/role";
import type { ExportedFile, Target } from "@slipway/agents/role-export";
import type { ProtocolChoice } from "@slipway/agents/select";
import type { JournalEvent } from "@slipway/durable/chain";
import type { Workflow } from "@slipway/durable/ctx";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import type { Powers } from "@slipway/kernel/config/trust/powers";
import type { Kernel } from "@slipway/kernel/kernel";
import type { OwnMigrations } from "@slipway/kernel/record/database/migration";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import type { DemoEntry } from "./demo/demo.ts";
import type { InnerProtocol } from "./change/feature-run.ts";
import type { AgentDispatcher } from "./dispatch/dispatcher.ts";
import type { Line } from "./narration/line.ts";
import type { NarratedStep } from "./narration/step-text.ts";
import type { RunNode } from "./run-view.ts";
import type { CommandSpec, OptionSpec } from "./surface/command.ts";
import type { ExitCode } from "./surface/exit-codes.ts";
import type { Reader, Starter } from "./surface/surface.ts";
import type { ToolServerEntry } from "./tool-server.ts";

/** What the program knows of a protocol before it loads it. */
export interface ProtocolEntry {
  /** `--protocol NAME`, `slipway NAME`, the folder of its sources and roles, and the prefix of its roles in agents.yaml. */
  readonly name: string;
  readonly summary: string;
  readonly takes: "specifications" | "a page" | "a request" | "an interview";
  /** "one change": the shell in `change/` gates it, asks for the approval and merges it. */
  readonly delivers: "changes" | "one change";
  /** A command that shows how it is started. */
  readonly example: string;
  /** Names of its workflows that can be started, the root first. A run belongs to the protocol that lists its workflow here. */
  readonly started: readonly [string, ...string[]];
  /** Options of its own for `slipway NAME`, each with a value; passed to `prepare`. */
  readonly options?: Readonly<Record<string, OptionSpec & { readonly type: "string" }>>;
  /** Options of its own without a value. */
  readonly flags?: Readonly<Record<string, OptionSpec & { readonly type: "boolean" }>>;
  /** `slipway NAME SUBCOMMAND …`. */
  readonly subcommands?: readonly CommandSpec[];
  /** A command of its own that answers the question, where `slipway answer` would not do. */
  readonly answerCommand?: (question: AskedQuestion) => string | null;
  /** Its tables, if it has any. They are migrated whenever the records are opened. */
  readonly tables?: () => Promise<OwnMigrations>;
  /** Its MCP tools, named `NAME.verb`. */
  readonly tools?: () => Promise<readonly AnyTool[]>;
  /** Its MCP servers, besides Slipway's own: `slipway mcp --server NAME`. */
  readonly servers?: readonly ToolServerEntry[];
  /** What a person reads about the steps of its changes, besides those that every change has. Light: `slipway status` loads it. */
  readonly narration?: () => Promise<readonly NarratedStep[]>;
  /** The models of its roles by its own configuration on the base branch, where it has one. agents.yaml goes before it. */
  readonly models?: (read: (path: string) => Promise<string | null>) => Promise<Readonly<Record<string, ProtocolChoice>>>;
  /** What its own configuration file may start and give away, besides the kernel's files. A person reads it before trusting the file. */
  readonly powers?: (read: (path: string) => Promise<string | null>) => Promise<Powers>;
  /** What `slipway export` writes for it, where that is more than one file for each role. The roles are those of the repository. */
  readonly exports?: (target: Target, roles: readonly Role[]) => Promise<ProtocolExport>;
  /** Its demos: `slipway demo NAME`. */
  readonly demos?: readonly DemoEntry[];
  /** If it can make one change of a run of `features`: `slipway run specs/ --protocol NAME`. */
  readonly inner?: () => Promise<InnerProtocol>;
  readonly load: () => Promise<Protocol>;
}

export interface ProtocolExport {
  /** The folder of the export, from the root of the repository, unless --out names another; empty for that root. */
  readonly root: string;
  /** Their paths are from the folder of the export. */
  readonly files: readonly ExportedFile[];
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
  /** Its other workflows. A run and its child runs are pinned to the versions they began with. */
  readonly parts: readonly AnyWorkflow[];
  open(host: Host): Services;
  /** The input of a run, or why there is nothing to run. Throws where the request cannot be carried out; records nothing but objects. */
  prepare(starter: Starter, request: RunRequest): Promise<Prepared>;
  /** Null for events that say nothing to a person, and for streams of other protocols. */
  narrate(event: JournalEvent): Line | null;
  /** The nodes below the run's own node, parents before children. */
  view(reader: Reader, runId: string): Promise<RunNode[]>;
  /** The exit code and last words of a completed run, the same for `run`, `watch` and `resume`. */
  describe(result: unknown): Ending;
}

/** What somebody wants a protocol to do. */
export interface RunRequest {
  /** One or more for a protocol that takes specifications, one for a page, none otherwise. */
  readonly specs: readonly Spec[];
  /** For a protocol that takes a request or an interview; null where nothing was said. */
  readonly text: string | null;
  /** Values of the protocol's own options. */
  readonly options?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, boolean>>;
  /** The protocol that makes the change of each specification that names none. */
  readonly inner?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Prepared =
  | {
      /** Besides what every run records: its agents, and whether the gates are tried on the base first. */
      readonly input: object;
      /** The run's id is `YYYY-MM-DD_slug`. */
      readonly slug: string;
      /** Printed after the run's id. */
      readonly note?: string;
      /** The protocols whose roles are played; by default the run's own. */
      readonly protocols?: readonly string[];
    }
  | NothingToDo;

export interface NothingToDo {
  readonly lines: readonly string[];
  readonly json: object;
}

/** What a protocol is opened with. */
export interface Host {
  readonly kernel: Kernel;
  readonly dispatcher: AgentDispatcher;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the workflows of a protocol work with. */
export interface Services {
  readonly workflows: unknown;
  /** Refuses, before a run continues, what cannot work. */
  readonly ready?: (workflow: string, runId: string) => Promise<void>;
  readonly close?: () => void | Promise<void>;
}

export interface Ending {
  /** Whether everything that was asked for is there. */
  readonly done: boolean;
  readonly lines: readonly string[];
  /** Where neither "done" nor "failed" says it. */
  readonly code?: ExitCode;
}
