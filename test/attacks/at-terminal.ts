import { spawn, spawnSync } from "node:child_process";
import { PROGRAM } from "slipway/testing/program";
import type { Yard } from "./yard.ts";

interface Keys {
  readonly after: string;
  readonly press: string;
}

/** The program in a pseudo-terminal, where a line feed becomes CR LF. Keys are pressed when `after` is on the screen. */
export function atTerminal(yard: Yard, argv: readonly string[], keys?: Keys): Promise<string> {
  const quoted = [process.execPath, ...PROGRAM, ...argv].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const env = { ...yard.env, TERM: "xterm-256color", SHELL: "/bin/sh" };
  const child = spawn("script", ["--quiet", "--return", "--command", `stty cols 300 rows 60; exec ${quoted}`, "/dev/null"], {
    cwd: yard.root,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let [shown, pressed] = ["", keys === undefined];
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString("utf8");
    if (pressed || keys === undefined || !shown.includes(keys.after)) return;
    pressed = true;
    child.stdin.write(keys.press);
  });
  return new Promise((resolve) => child.on("close", () => resolve(shown.replaceAll("\r\n", "\n"))));
}

export const canOpenTerminal =
  spawnSync("script", ["--quiet", "--return", "--command", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
