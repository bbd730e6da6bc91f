import { posix } from "node:path";
import { MODES, type GatesConfig, type GateStep } from "../../../config/gates.ts";

/**
 * The gate steps that cover a file, as `<mode>:<step>`, in the order in which they run. A step with a `cwd` covers the files below it.
 * Depends only on the configuration and the path.
 */
export function requiredTests({ profiles }: GatesConfig, profile: string, path: string): string[] {
  const modes = Object.hasOwn(profiles, profile) ? profiles[profile]?.modes : undefined;
  return MODES.flatMap((mode) => (modes?.[mode] ?? []).filter((step) => checksPath(step, path)).map(({ name }) => `${mode}:${name}`));
}

function checksPath({ cwd = "." }: GateStep, path: string): boolean {
  const folder = posix.join("/", cwd);
  return folder === "/" || `/${path}`.startsWith(`${folder.replace(/\/$/, "")}/`);
}
