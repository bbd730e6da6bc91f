import type { ReplyUsage } from "./usage.ts";

/** One question to a model or a coding agent. */
export interface ProviderRequest {
  readonly role: string;
  readonly subject: string;
  /** Which try of the protocol this is, such as "1" or "2.1". */
  readonly attempt: string;
  /** 0 for the first answer, then one more for every answer that missed its schema. */
  readonly repair: number;
  readonly system: string;
  readonly prompt: string;
  readonly promptDigest: string;
  /** JSON Schema of the answer, for providers that can enforce one. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly model: string | null;
}

export interface ProviderReply {
  readonly text: string;
  readonly usage: ReplyUsage;
  readonly model: string | null;
  /** For the person watching; never decides anything. */
  readonly warnings?: readonly string[];
  /** What the provider said in its own words, kept for the curious. */
  readonly raw?: unknown;
}

/** Fails with a SlipwayError for what went wrong out there, and with the signal's reason when it was told to stop. */
export interface Provider {
  readonly name: string;
  invoke(request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply>;
}
