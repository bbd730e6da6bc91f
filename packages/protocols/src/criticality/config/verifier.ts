import type { CriticalityConfig } from "./config.ts";

export type VerifierSettings = NonNullable<CriticalityConfig["verifier"]>;

/** Whether `[verifier]` names the function as critical. */
export function isCritical(verifier: CriticalityConfig["verifier"], id: string): boolean {
  return verifier?.functions.some((glob) => matches(glob, id)) === true;
}

/** `*` is any text without `/`, `**` any text. Everything else is itself. */
function matches(glob: string, id: string): boolean {
  const parts = glob.split(/(\*+)/).map((part) => (part.startsWith("*") ? (part.length > 1 ? ".*" : "[^/]*") : RegExp.escape(part)));
  return new RegExp(`^${parts.join("")}$`, "s").test(id);
}
