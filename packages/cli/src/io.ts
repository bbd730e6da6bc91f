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
  out(text: string): void;
  err(text: string): void;
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
    env,
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
    out: (text) => void stdout.write(text),
    err: (text) => void process.stderr.write(text),
  };
}
