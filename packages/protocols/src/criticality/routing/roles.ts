import { SlipwayError } from "@slipway/agents/errors";

/** Code uses these names; configuration maps them to models. */
export const ROLE_ALIASES = ["architect_model", "auditor_model", "structurer_model", "worker_model", "fallback_model"] as const;
export type RoleAlias = (typeof ROLE_ALIASES)[number];

export const PHASES = ["ignition", "lattice", "compositionAudit", "injection", "mesoscopic", "massDefect"] as const;
export type CriticalityPhase = (typeof PHASES)[number];

/** The roles of a phase. */
export const PHASE_ROLES: Readonly<Record<CriticalityPhase, readonly RoleAlias[]>> = {
  ignition: ["architect_model", "auditor_model"],
  lattice: ["structurer_model"],
  compositionAudit: ["auditor_model", "architect_model"],
  injection: ["worker_model", "structurer_model", "architect_model"],
  mesoscopic: ["structurer_model", "auditor_model"],
  massDefect: ["worker_model", "architect_model", "auditor_model"],
};

export function assertRoleInPhase(phase: CriticalityPhase, role: RoleAlias): void {
  const allowed = PHASE_ROLES[phase];
  if (allowed.includes(role)) return;
  throw new SlipwayError("policy_violation", `${role} has no part in the phase ${phase}.`, {
    phase,
    role,
    allowed_roles: allowed,
    suggested_next_actions: [`Call one of: ${allowed.join(", ")}.`],
  });
}

/** The context window, in tokens, that a model must have to play a role. */
export const MINIMUM_CONTEXT = { architect: 100_000, auditor: 50_000, structurer: 100_000, worker: 16_000, refiner: 100_000 } as const;

/** Refuses a configuration in which a role's model is too small for its context. */
export function assertContextWindows(windows: Readonly<Partial<Record<keyof typeof MINIMUM_CONTEXT, number>>>, file: string): void {
  for (const [role, minimum] of Object.entries(MINIMUM_CONTEXT)) {
    const found = windows[role as keyof typeof MINIMUM_CONTEXT];
    if (found === undefined || found >= minimum) continue;
    throw new SlipwayError(
      "config_invalid",
      `${file}, models.${role}: its context of ${found} tokens is too small; the role needs ${minimum}.`,
      {
        file,
        field: `models.${role}`,
        minimum,
        found,
        suggested_next_actions: [`Choose a model with at least ${minimum} tokens of context.`],
      },
    );
  }
}
