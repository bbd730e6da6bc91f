import { spawnSync } from "node:child_process";
import { PROGRAM } from "slipway/testing/program";

/** An empty network namespace, without loopback. */
const OFFLINE = process.getuid?.() === 0 ? ["unshare", "--net"] : ["unshare", "--map-root-user", "--net"];

export const canGoOffline = spawnSync(OFFLINE[0] ?? "", [...OFFLINE.slice(1), "true"]).status === 0;
if (!canGoOffline) console.log("skipped: this machine cannot make a network namespace, so nothing can be shown offline");

/** Command and arguments of a demo that keeps its repository in `folder`: without any network, where the machine allows it. */
export function demoCommand(name: string, folder: string): [command: string, args: string[]] {
  const [command = "", ...args] = [
    ...(canGoOffline ? OFFLINE : []),
    process.execPath,
    ...PROGRAM,
    "demo",
    name,
    "--json",
    "--keep",
    folder,
  ];
  return [command, args];
}
