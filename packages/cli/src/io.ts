import type { Io } from "@slipway/protocols/surface/io";
import { callerPath } from "./caller-path.ts";

import { escapeBytes } from "@slipway/protocols/surface/escape";
import { screenText } from "@slipway/protocols/surface/style";

export function processIo(): Io {
  const { stdout, stdin, env } = process;
  const terminal = stdout.isTTY === true;
  // The reader of stdout may stop reading (`slipway watch | head`); the command continues.
  stdout.on("error", () => undefined);
  return {
    // A getter, because the folder may be deleted while the command runs, and that must be reported like any other error.
    get cwd() {
      return process.cwd();
    },
    env: env["PATH"] === undefined ? env : { ...env, PATH: callerPath(env["PATH"]) },
    terminal,
    interactive: terminal && stdin.isTTY === true && env["CI"] === undefined,
    color: terminal && env["NO_COLOR"] === undefined && env["TERM"] !== "dumb",
    // Getters, because the window may be resized while a command runs.
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
