import type { ByHand } from "./manual/contract.ts";
import type { PackChanges } from "./packs/changes.ts";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import type { AgentProcess, AgentProcessEnd } from "./process/contract.ts";
import type { ReplyUsage } from "./usage.ts";

/** What a worker works from, part by part; the prompt says the same in one text. */
export interface WorkerInput {
  readonly role: string;
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
  readonly subject: string;
  /** Which try of the protocol this is, such as "1" or "2.1". */
  readonly attempt: string;
  /** 0 for the first answer, then one more for every answer that missed its schema. */
  readonly repair: number;
  /** What was wrong with the last one. */
  readonly errors?: readonly string[];
  readonly system: string;
  readonly prompt: string;
  readonly promptDigest: string;
  /** JSON Schema of the answer, for providers that can enforce one. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly model: string | null;
  readonly input: WorkerInput;
  /** For providers that work on files; null for those that only answer a prompt. */
  readonly workplace: Workplace | null;
  readonly timeoutMs: number;
  /** What the call may take before a budget is overspent; a provider that can keep to it does. Left out, nothing limits it. */
  readonly reserved?: { readonly cost_usd: number | null; readonly tokens: number };
  /** For an agent that answers in its own time. */
  readonly hand?: ByHand;
  /** What happened on the way, as it happens; kept in the transcript, never decides anything. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** The context pack as a place to work in. What is not in the pack is not there. */
export interface Workplace {
  /** The materialised pack. */
  readonly folder: string;
  /** The same view for tools; everything read through it is logged. */
  readonly tree: FileTree;
  /** Starts the agent's process in the sandbox, with nothing but the pack and what it names itself. */
  readonly run: (process: AgentProcess) => Promise<AgentProcessEnd>;
  /** What is different there by now. */
  readonly changes?: () => Promise<PackChanges>;
  /** Brings a fresh folder to where these changes were: an answer that has been paid for is not asked for again. */
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
  /** A line of the client's own stream. */
  | { readonly kind: "raw"; readonly line: string };

export interface ProviderReply {
  readonly text: string;
  readonly usage: ReplyUsage;
  readonly model: string | null;
  /** For the person watching; never decides anything. */
  readonly warnings?: readonly string[];
  /** What the provider said in its own words, kept for the curious. */
  readonly raw?: unknown;
  /** What was different in the workplace when it was given; whoever settles the call looks, no provider says it. */
  readonly changes?: PackChanges;
}

/** Fails with a SlipwayError for what went wrong out there, and with the signal's reason when it was told to stop. */
export interface Provider {
  readonly name: string;
  /** prompt: everything is in the prompt. folder: it gets a workplace, and what it changes there comes back as a patch. */
  readonly works: "prompt" | "folder";
  /** What has to be done before it is asked, begun while the question is still written down. */
  prepare?(request: ProviderRequest): void;
  invoke(request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply>;
}
