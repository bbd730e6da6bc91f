import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { Compatibility } from "./delta.ts";

export const FIRST_VERSION = "1.0.0";

type Bump = "patch" | "minor" | "major";

/** Unknown compatibility counts as breaking. */
const BUMP_OF: Readonly<Record<Compatibility, Bump>> = { BACKWARD_COMPATIBLE: "minor", BREAKING: "major", UNKNOWN: "major" };

interface Predecessor {
  readonly version: string;
  readonly fingerprint: string;
}

/**
 * The version under which a module ships. The same fingerprint is a patch; another one needs an interface change exception that states the
 * compatibility.
 */
export function nextVersion(previous: Predecessor | null, fingerprint: string, exception: Compatibility | null): string {
  if (previous === null) return FIRST_VERSION;
  if (previous.fingerprint === fingerprint) return bumped(previous.version, "patch");
  if (exception === null) {
    const message = `The contract differs from that of version ${previous.version}, and no interface change exception allows it.`;
    throw new SlipwayError("policy_violation", message, {
      expected: previous.fingerprint,
      found: fingerprint,
      suggested_next_actions: ["Keep the five dimensions as they are, or raise an interface change exception."],
    });
  }
  return bumped(previous.version, BUMP_OF[exception]);
}

export function bumped(version: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = partsOf(version);
  if (bump === "major") return `${major + 1}.0.0`;
  return bump === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

function partsOf(version: string): number[] {
  return version.split(".").map(Number);
}
