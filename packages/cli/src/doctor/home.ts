import { homedir } from "node:os";
import { join } from "node:path";
import type { Io } from "../io.ts";

/** A path of the policy, with `~` as the home folder of whoever runs Slipway. */
export function homePath(io: Io, path: string): string {
  return path.startsWith("~/") ? join(io.env["HOME"] ?? homedir(), path.slice(2)) : path;
}
