import type { Io } from "@slipway/protocols/surface/io";
import { callerPath } from "./caller-path.ts";

import { escapeBytes } from "@slipway/protocols/surface/escape";
import { screenText } from "@slipway/protocols/surface/style";

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
