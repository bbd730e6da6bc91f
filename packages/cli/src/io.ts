import { callerPath } from "./caller-path.ts";

import { escapeBytes } from "./terminal/escape.ts";
import { screenText } from "./terminal/style.ts";

/** Everything a command may touch of the process around it; tests pass their own. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Output goes to a screen that can be redrawn. */
  readonly terminal: boolean;
  /** Somebody is there to be asked. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Text for people and lines of JSON. What is not printable is shown as what it is, also in a pipe. */
  out(text: string): void;
  err(text: string): void;
  /** What another program takes byte for byte, such as a patch. On a terminal it is shown like any text. */
  bytes(bytes: Uint8Array): void;
}

export function processIo(): Io {
  const { stdout, stdin, env } = process;
  const terminal = stdout.isTTY === true;
  // Whoever reads our output may stop reading (`slipway watch | head`); the work goes on.
  stdout.on("error", () => undefined);
  return {
    // Read when it is needed: the folder may have been deleted under us, and that has to be told like any other error.
    get cwd() {
      return process.cwd();
    },
    env: env["PATH"] === undefined ? env : { ...env, PATH: callerPath(env["PATH"]) },
    terminal,
    interactive: terminal && stdin.isTTY === true && env["CI"] === undefined,
    color: terminal && env["NO_COLOR"] === undefined && env["TERM"] !== "dumb",
    // The window may be made larger or smaller while a command is at work.
    get columns() {
      return stdout.columns ?? 100;
    },
    get rows() {
      return stdout.rows ?? 24;
    },
    out: (text) => void stdout.write(screenText(text)),
    err: (text) => void process.stderr.write(screenText(text)),
    bytes: (bytes) => void stdout.write(terminal ? escapeBytes(bytes) : bytes),
  };
}
