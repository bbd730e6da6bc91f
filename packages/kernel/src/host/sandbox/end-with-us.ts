import { spawn } from "node:child_process";

/** `read` returns when the pipe closes, which it does however its writer ends. */
const SCRIPT = 'read -r line; kill -9 "$1"';

/**
 * Kills a process when this one ends, even by SIGKILL: for a program that a library starts and that does not notice the end of its starter.
 * Returns how to stop that; call it when the process has ended, because its pid may then belong to another one.
 */
export function endWithUs(pid: number): () => void {
  const watcher = spawn("/bin/sh", ["-c", SCRIPT, "slipway-watcher", String(pid)], {
    // Its own group: a signal to ours must not end it before it has done its work.
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Without a shell the process is ended as before, by `close`.
  watcher.on("error", () => undefined);
  watcher.stdin.on("error", () => undefined);
  watcher.unref();
  if ("unref" in watcher.stdin && typeof watcher.stdin.unref === "function") watcher.stdin.unref();
  return () => void watcher.kill("SIGKILL");
}
