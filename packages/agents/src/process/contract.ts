/** A process of a coding agent. It runs in its own process group, in the sandbox, in the folder of the pack. */
export interface AgentProcess {
  readonly command: readonly string[];
  /** The whole environment. Only this process gets the keys. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin and closed, or a stream for protocols over stdio. */
  readonly input: string | ReadableStream<Uint8Array>;
  /** Host folders outside the system's that contain the program; mounted read-only. */
  readonly programs: readonly string[];
  /** An empty folder that becomes HOME; the client's configuration is written there beforehand. */
  readonly home: string;
  /** The only hosts it may reach, as host:port; empty for none. */
  readonly hosts: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Streamed, not buffered. */
  readonly onStdout: (chunk: Uint8Array) => void;
  /** Only the end of stderr is kept, for the error message. */
  readonly maxOutputBytes?: number;
}

/** How it ended; an abort is thrown instead. */
export type AgentProcessEnd = { readonly stderr: string; readonly durationMs: number } & (
  | { readonly kind: "not_started"; readonly reason: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "flood"; readonly limitBytes: number }
  | { readonly kind: "limit"; readonly limit: string }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "exit"; readonly exitCode: number }
);
