import type { ByHand } from "./manual/contract.ts";
import type { PackChanges } from "./packs/changes.ts";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import type { AgentProcess, AgentProcessEnd } from "./process/contract.ts";
import type { ShellEnd, ShellOptions } from "./process/shell.ts";
import type { NativeTool } from "./tools/native-tools.ts";
import type { ReplyUsage } from "./usage.ts";

/** The input of a worker, part by part; the prompt contains the same as one text. */
export interface WorkerInput {
  readonly role: string;
  /** The subject: a feature, or what else a protocol works on. Custom agents know it by this name. */
  readonly feature_id: string;
  readonly context_bundle: readonly { readonly title: string; readonly kind: string; readonly text: string }[];
  readonly instructions: string;
  readonly last_tool_results: string;
  readonly provider: string;
  readonly model: string | null;
  /** The name of the variable with the provider's configuration; never its value. */
  readonly provider_config_ref: string | null;
}

/** One question to a model or a coding agent. */
export interface ProviderRequest {
  readonly role: string;
  /** What the role may do with the files of its workplace. */
  readonly tools: readonly NativeTool[];
  readonly subject: string;
  /** The attempt of the protocol, such as "1" or "2.1". */
  readonly attempt: string;
  /** 0 for the first answer, then one more per repair. */
  readonly repair: number;
  /** The errors of the last answer. */
  readonly errors?: readonly string[];
  readonly system: string;
  readonly prompt: string;
  readonly promptDigest: string;
  /** JSON Schema of the answer, for providers that can enforce one. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** For who checks an answer before it is returned: the same with the fields that are accepted and not asked for. Default: the same. */
  readonly accepted?: Readonly<Record<string, unknown>>;
  readonly model: string | null;
  readonly input: WorkerInput;
  /** For providers that work on files; null for those that only answer a prompt. */
  readonly workplace: Workplace | null;
  readonly timeoutMs: number;
  /** The reservation of the call; a provider that can limit its usage does. Without it there is no limit. */
  readonly reserved?: { readonly cost_usd: number | null; readonly tokens: number };
  /** For a provider whose answer comes later. */
  readonly hand?: ByHand;
  /** Receives events as they happen; for the transcript only. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** The context pack as a folder to work in. Paths outside the pack do not exist there. */
export interface Workplace {
  /** The materialised pack. */
  readonly folder: string;
  /** The same files for tools; reads are logged. */
  readonly tree: FileTree;
  /** Starts the agent's process in the sandbox, with the pack and the paths it names. */
  readonly run: (process: AgentProcess) => Promise<AgentProcessEnd>;
  /** Runs a line of the shell in the same folder and sandbox, without network. */
  readonly exec?: (line: string, options: ShellOptions) => Promise<ShellEnd>;
  /** The changes so far. */
  readonly changes?: () => Promise<PackChanges>;
  /** Applies these changes to a fresh folder, so that a paid answer is not requested again. */
  readonly restore?: (changes: PackChanges) => Promise<void>;
}

export type AgentEvent =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly input: unknown;
      readonly output: string;
      readonly ok: boolean;
      readonly duration_ms: number;
    }
  | { readonly kind: "usage"; readonly usage: ReplyUsage; readonly model: string | null }
  /** A tool call that was refused before it had any effect. A transcript has it as the failed call that the provider reports too. */
  | ({ readonly kind: "refused" } & Refusal)
  /** A line of the client's own stream. */
  | { readonly kind: "raw"; readonly line: string };

/** What an agent tried and may not. */
export interface Refusal {
  readonly tool: string;
  readonly path: string | null;
  readonly reason: string;
}

export interface ProviderReply {
  readonly text: string;
  readonly usage: ReplyUsage;
  /** The usage of each request to the model, where usage events do not have it: the price of a request depends on its own length. */
  readonly requests?: readonly ReplyUsage[];
  readonly model: string | null;
  /** For a person; without effect on the run. */
  readonly warnings?: readonly string[];
  /** The provider's own reply, for debugging. */
  readonly raw?: unknown;
  /** The changes in the workplace with this reply. The harness reads them; providers do not report them. */
  readonly changes?: PackChanges;
  /** The refused calls before this reply. The harness collects them, as for changes. */
  readonly refusals?: readonly Refusal[];
}

/** Throws a SlipwayError for failures of the provider, and the signal's reason for a stop. */
export interface Provider {
  readonly name: string;
  /** prompt: everything is in the prompt. folder: it gets a workplace, and its changes there come back as a patch. */
  readonly works: "prompt" | "folder";
  /** It cannot be asked without a folder: a request without files gets an empty one. */
  readonly needsFolder?: true;
  /** Whether it holds the answer to this schema by itself, so that the prompt need not contain the schema. */
  holdsSchema?(request: Pick<ProviderRequest, "schema" | "model" | "tools" | "workplace">): boolean;
  /** Starts preparations while the question is still being recorded. */
  prepare?(request: ProviderRequest): void;
  invoke(request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply>;
}
