import { z } from "zod";
import { CREW_AGENTS, CREW_ROLES, type CrewRole, type DispatchedRole } from "../agents.ts";

/** A role in `dispatch`, `recommended_agent` and `last_correction_dispatch`: case-sensitive. */
export const roleNameSchema = z.enum(CREW_ROLES);

export const DISPATCHED_ROLES: readonly DispatchedRole[] = CREW_ROLES.filter((role) => role !== "Orchestrator");
export const dispatchedRoleSchema = z.enum(DISPATCHED_ROLES);

/** The name in definition files. */
export function definitionName(role: CrewRole): string {
  return CREW_AGENTS[role].file;
}

export const PROJECT_TYPES = ["web", "api", "cli", "lib", "mixed"] as const;
export const projectTypeSchema = z.enum(PROJECT_TYPES);
export type ProjectType = z.infer<typeof projectTypeSchema>;

export const CI_RESULTS = ["unknown", "green", "red"] as const;
export const ciResultSchema = z.enum(CI_RESULTS);
export type CiResult = z.infer<typeof ciResultSchema>;

export const RISK_FLAGS = ["security", "perf", "breaking-change", "none"] as const;
export const riskFlagsSchema = z
  .array(z.enum(RISK_FLAGS))
  .refine((flags) => !flags.includes("none") || flags.length === 1, { error: "`none` stands alone" });
export type RiskFlag = (typeof RISK_FLAGS)[number];

export const META = "meta";
export const numberedTaskIdSchema = z.string().regex(/^T-[0-9]{3,}$/);
export const taskIdSchema = z.string().regex(/^(?:meta|T-[0-9]{3,})$/);

export const nonEmpty = z.string().regex(/\S/, "must not be empty");
export const texts = z.array(nonEmpty);

/** A check of a task: a command that the harness runs, or something that a person looks at. */
export const acceptanceCheckSchema = z.string().regex(/^(?:cmd|manual):[ \t]*\S/, "must begin with `cmd:` or `manual:`");

export const COMMAND_PREFIX = "cmd:";
export const MANUAL_PREFIX = "manual:";

/** The commands among checks, without their prefix. */
export function commandsIn(checks: readonly string[]): string[] {
  return checks.filter((check) => check.startsWith(COMMAND_PREFIX)).map((check) => check.slice(COMMAND_PREFIX.length).trim());
}

export const instantSchema = z.iso.datetime({ offset: true });
