import { delimiter } from "node:path";
import type { Toolchain } from "../../../host/toolchain/resolve.ts";

/**
 * The environment of a step: the allowlisted variables of the host, then the step's own, and nothing else. A step's own PATH replaces the
 * project's toolchain. The sandbox appends the system's folders and Slipway's Node to either.
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
