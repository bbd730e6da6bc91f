import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

/** In its command line, with the home folder that it is for. */
export const DAEMON = "sleep 600; :";

/** Starts a process in a session of its own, for the program of an agent, and counts it in the home folder. */
export function leaveDaemon(home = process.env["HOME"] ?? ""): void {
  spawn("sh", ["-c", `exec setsid sh -c "${DAEMON}" "$0"`, home], { stdio: "ignore", detached: true }).unref();
  appendFileSync(`${home}/daemons`, "one\n");
}
