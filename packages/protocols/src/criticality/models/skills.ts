import { SlipwayError } from "@slipway/agents/errors";
import type { TaskType } from "../routing/route.ts";
import { assertRoleInPhase, type CriticalityPhase, type RoleAlias } from "../routing/roles.ts";

/** The roles that a model plays, by the alias whose model plays them. The file of a role is `roles/NAME.md`. */
export const ROLE_OF_ALIAS: Readonly<Record<Exclude<RoleAlias, "fallback_model">, string>> = {
  architect_model: "architect",
  auditor_model: "auditor",
  structurer_model: "structurer",
  worker_model: "worker",
};

export type PlayedAlias = keyof typeof ROLE_OF_ALIAS;

interface Skill {
  readonly phase: CriticalityPhase;
  readonly task: TaskType;
  readonly aliases: readonly PlayedAlias[];
}

/** What a model can be asked to do, in which phase, and by whom. */
export const SKILLS = {
  conduct_interview: { phase: "ignition", task: "synthesize", aliases: ["architect_model"] },
  synthesize_spec: { phase: "ignition", task: "synthesize", aliases: ["architect_model"] },
  audit_proposal: { phase: "ignition", task: "audit", aliases: ["auditor_model"] },
  generate_witness: { phase: "lattice", task: "structure", aliases: ["structurer_model"] },
  scaffold_module: { phase: "lattice", task: "structure", aliases: ["structurer_model"] },
  audit_composition: { phase: "compositionAudit", task: "audit", aliases: ["auditor_model", "architect_model"] },
  implement_atomic: { phase: "injection", task: "implement", aliases: ["worker_model", "structurer_model", "architect_model"] },
  parse_claims: { phase: "mesoscopic", task: "structure", aliases: ["structurer_model"] },
  audit_claims: { phase: "mesoscopic", task: "audit", aliases: ["auditor_model"] },
  detect_smells: { phase: "massDefect", task: "transform", aliases: ["architect_model"] },
  apply_pattern: { phase: "massDefect", task: "transform", aliases: ["worker_model", "architect_model"] },
  audit_transform: { phase: "massDefect", task: "audit", aliases: ["auditor_model"] },
} as const satisfies Readonly<Record<string, Skill>>;

export type SkillName = keyof typeof SKILLS;

export function assertSkill(phase: CriticalityPhase, skill: SkillName, alias: PlayedAlias): void {
  assertRoleInPhase(phase, alias);
  const { phase: belongs, aliases }: Skill = SKILLS[skill];
  if (belongs === phase && aliases.includes(alias)) return;
  throw new SlipwayError("policy_violation", `${alias} may not use the skill ${skill} in the phase ${phase}.`, {
    skill,
    phase,
    alias,
    suggested_next_actions: [`${skill} is for ${aliases.join(" or ")} in the phase ${belongs}.`],
  });
}
