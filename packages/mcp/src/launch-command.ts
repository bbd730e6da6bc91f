import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Environment } from "@slipway/kernel/host/places";

/** The command that starts Slipway: its name if it is on the PATH, otherwise Node with the script. */
export function launchCommand(
  env: Environment,
  script: string | undefined,
): { readonly command: string; readonly args: readonly string[] } {
  const onPath = (env["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && isExecutable(join(folder, "slipway")));
  return onPath || script === undefined ? { command: "slipway", args: [] } : { command: process.execPath, args: [script] };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
