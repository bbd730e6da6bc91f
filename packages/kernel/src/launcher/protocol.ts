/** A process was not started. */
export interface SpawnError {
  /** An errno name such as ENOENT, or SANDBOX_SETUP. */
  readonly code: string;
  readonly message: string;
  /** Worth another try: the machine was short of processes, memory or descriptors. */
  readonly transient: boolean;
}

/** A file of the host, or one without a name that holds a text; open at its beginning, to read. */
export type FileDescriptor = { readonly from: string } | { readonly text: string };

/** What stands behind one descriptor of a process: with `pipe` a stream of ours, with `feed` a text that ends. */
export type Descriptor = "ignore" | "pipe" | { readonly feed: string } | FileDescriptor;

export interface StartRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly Descriptor[];
  /** A command that sets limits and then runs what is written behind it. */
  readonly limits?: readonly string[];
}

/** A start that is asked of the launcher: instead of a pipe stands the number of a connection that it has made. */
export interface RemoteStart extends Omit<StartRequest, "stdio" | "limits"> {
  readonly id: number;
  readonly stdio: readonly (Exclude<Descriptor, "pipe"> | { readonly connection: number })[];
}

export type Ending = readonly [code: number | null, signal: NodeJS.Signals | null];

export type RemoteReport =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: SpawnError }
  | { readonly id: number; readonly ending: Ending };

/** Where the launcher finds us, in its first line of input. */
export interface Introduction {
  readonly address: string;
  readonly secret: string;
}

/** The first line on a connection, so that nobody else's is taken for one of the launcher's. */
export function greeting(secret: string, connection: number): string {
  return `${secret} ${connection}\n`;
}

/** Connections that are made before they are needed. */
export const SPARE_CONNECTIONS = 16;
