import { homedir } from "node:os";
import { join } from "node:path";

/** A path of the policy, with `~` as the home folder of the user who runs Slipway. */
export function expandHome(path: string, env: Readonly<Record<string, string | undefined>>): string {
  return path.startsWith("~/") ? join(env["HOME"] ?? homedir(), path.slice(2)) : path;
}
