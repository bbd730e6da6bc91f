import { delimiter } from "node:path";
import type { Toolchain } from "../../../host/toolchain/resolve.ts";

/**
 * What a step sees of the environment: the allowlisted variables of the host, then its own. Nothing else. A PATH of its own replaces the
 * project's toolchain; the sandbox puts the system's folders and Slipway's Node behind either.
 */
export function stepEnvironment(
  hostEnv: Readonly<Record<string, string | undefined>>,
  allowlist: readonly string[],
  own: Readonly<Record<string, string>>,
  toolchain?: Pick<Toolchain, "path">,
): Record<string, string> {
  const allowed = allowlist.flatMap((name) => {
    const value = Object.hasOwn(hostEnv, name) ? hostEnv[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  const path = toolchain === undefined || toolchain.path.length === 0 ? {} : { PATH: toolchain.path.join(delimiter) };
  return { ...Object.fromEntries(allowed), ...path, ...own };
}
