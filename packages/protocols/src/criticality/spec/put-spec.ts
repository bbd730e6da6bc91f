import { SlipwayError } from "@slipway/agents/errors";
import type { RunFiles } from "../files/run-files.ts";
import type { CriticalityPhase } from "../routing/roles.ts";
import { printClaims } from "./claims.ts";
import { printSpec } from "./print-spec.ts";
import type { SystemSpec } from "./schema.ts";

export const SPEC_FILE = "spec/spec.toml";
export const CLAIMS_FILE = "spec/claims.toml";

export interface PrintedSpec {
  readonly specText: string;
  readonly claimsText: string;
}

/** The only writer of the specification. A finished one is replaced by a new version, and only in Ignition. */
export function putSpec(files: Pick<RunFiles, "put">, phase: CriticalityPhase, spec: SystemSpec, previous: SystemSpec | null): PrintedSpec {
  if (phase !== "ignition") throw refused(`The phase ${phase} may not write it.`, { phase });
  const version = spec.meta.version;
  const specText = printSpec(spec);
  if (previous !== null && previous.meta.version === version && printSpec(previous) !== specText)
    throw refused(`Version ${version} is finished and has another content.`, { version });
  const claimsText = printClaims(spec);
  files.put(SPEC_FILE, specText);
  files.put(CLAIMS_FILE, claimsText);
  return { specText, claimsText };
}

function refused(why: string, details: Readonly<Record<string, unknown>>): SlipwayError {
  return new SlipwayError("policy_violation", `${SPEC_FILE} was not written. ${why}`, {
    ...details,
    file: SPEC_FILE,
    suggested_next_actions: ["Return to Ignition; it writes a new version of the specification."],
  });
}
