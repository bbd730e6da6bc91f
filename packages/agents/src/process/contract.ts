/** One process of a coding agent. It always runs in a process group of its own, in the sandbox, in the pack's folder. */
export interface AgentProcess {
  readonly command: readonly string[];
  /** The whole environment. Keys reach this process and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin at once, then closed; or a conversation, for protocols over stdio. */
  readonly input: string | ReadableStream<Uint8Array>;
  /** Host folders outside the system's own that hold the program; shown read-only. */
  readonly programs: readonly string[];
  /** An empty folder of the harness that becomes HOME: the client's own configuration is written there beforehand. */
  readonly home: string;
  /** The only hosts it may reach, as host:port; empty for none. */
  readonly hosts: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Streamed: nothing is kept beyond what the receiver keeps. */
  readonly onStdout: (chunk: Uint8Array) => void;
  /** Of stderr only the end is kept, for the error message. */
  readonly maxOutputBytes?: number;
}

/** How it ended; being stopped through the signal is thrown instead. */
export type AgentProcessEnd = { readonly stderr: string; readonly durationMs: number } & (
  | { readonly kind: "not_started"; readonly reason: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "flood"; readonly limitBytes: number }
  | { readonly kind: "limit"; readonly limit: string }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "exit"; readonly exitCode: number }
);
