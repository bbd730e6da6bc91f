import { SlipwayError } from "../../schema/errors.ts";
import type { ErrorCode } from "@slipway/durable/errors";

/** One broken rule of a plan or a patch. */
export interface Violation {
  readonly code: ErrorCode;
  readonly rule: string;
  /** The offending path in canonical form, if any. */
  readonly path: string | null;
  /** The missing lock, if any. */
  readonly resource: string | null;
  readonly message: string;
}

export function violation(code: ErrorCode, rule: string, message: string, where: { path?: string; resource?: string } = {}): Violation {
  return { code, rule, path: where.path ?? null, resource: where.resource ?? null, message };
}

/** The error code to report if several rules are broken: first those that waiting for a lock cannot fix. */
const GRAVEST_FIRST: readonly ErrorCode[] = [
  "path_out_of_bounds",
  "plan_not_found",
  "version_conflict",
  "policy_violation",
  "invalid_override_precedence",
  "unknown_gate_profile_or_mode",
  "lock_not_held",
];

/** One error that lists all violations. */
export function refusal(subject: string, violations: readonly Violation[], more: Readonly<Record<string, unknown>> = {}): SlipwayError {
  const code = GRAVEST_FIRST.find((candidate) => violations.some((found) => found.code === candidate)) ?? "policy_violation";
  const lines = violations.map(({ rule, path, message }) => `  ${path === null ? "" : `${path}: `}${message} (${rule})`);
  const resources = [...new Set(violations.flatMap(({ resource }) => resource ?? []))].toSorted();
  return new SlipwayError(
    code,
    `${subject} breaks ${violations.length === 1 ? "a rule" : `${violations.length} rules`}:\n${lines.join("\n")}`,
    {
      ...more,
      violations,
      ...(resources.length === 0 ? {} : { resources }),
      suggested_next_actions:
        code === "lock_not_held" ? [`Acquire ${resources.join(", ")} first.`] : ["Correct every violation listed, then submit again."],
    },
  );
}
