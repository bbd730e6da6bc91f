import type { AskTrust } from "@slipway/kernel/config/trust/trust";

/** The process around a command: streams, environment and screen. Tests pass their own. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is a terminal that can be redrawn. */
  readonly terminal: boolean;
  /** A person can answer questions on the terminal. */
  readonly interactive: boolean;
  /** Answers whether to trust the configuration of a repository, instead of a person at the terminal. */
  readonly trusts?: AskTrust | undefined;
  readonly color: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Text for people and lines of JSON. Unprintable characters are escaped, also in a pipe. */
  out(text: string): void;
  err(text: string): void;
  /** Raw bytes for another program, such as a patch. On a terminal they are escaped like text. */
  bytes(bytes: Uint8Array): void;
}
