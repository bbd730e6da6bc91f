import { SlipwayError } from "@slipway/agents/errors";
import { AGENTS_FILE } from "@slipway/kernel/config/load";
import type { AgentsConfig } from "@slipway/kernel/config/agents";
import { closest } from "@slipway/kernel/schema/hint";
import { DEFAULT_PROTOCOL, PROTOCOLS } from "../protocols.ts";
import { roleNames } from "./roles.ts";

export interface NamedRole {
  readonly protocol: string;
  readonly role: string;
}

export async function everyRole(): Promise<NamedRole[]> {
  const named = PROTOCOLS.map(async ({ name: protocol }) => (await roleNames(protocol)).map((role) => ({ protocol, role })));
  return (await Promise.all(named)).flat();
}

/** The name of a role in records, questions and reports: `factory/arbiter`; `planner` for a role of the default protocol. */
export function roleName({ protocol, role }: NamedRole): string {
  return protocol === DEFAULT_PROTOCOL ? role : `${protocol}/${role}`;
}

/** The keys of a role in agents.yaml: `factory/arbiter`; for the default protocol also without prefix, as `planner`. */
export function roleKeys({ protocol, role }: NamedRole): readonly string[] {
  return protocol === DEFAULT_PROTOCOL ? [`${protocol}/${role}`, role] : [`${protocol}/${role}`];
}

/** Keys of calls that may have another model than their role, such as one of three reviewers. */
async function callKeys(): Promise<string[]> {
  const named = PROTOCOLS.map(async ({ name, models }) => {
    const choices = Object.entries((await models?.(async () => null)) ?? {});
    return choices.filter(([, { role }]) => role !== undefined).map(([key]) => `${name}/${key}`);
  });
  return (await Promise.all(named)).flat();
}

/** Refuses keys that name no role, which would otherwise be ignored silently. */
export async function assertKnownRoles(agents: AgentsConfig | null): Promise<void> {
  if (agents === null) return;
  const known = [...(await everyRole()).flatMap(roleKeys), ...(await callKeys())];
  const { role_provider_overrides, budgets } = agents.runtime;
  const fields = {
    roles: agents.roles,
    "runtime.role_provider_overrides": role_provider_overrides,
    "runtime.budgets.roles": budgets?.roles,
  };
  for (const [field, entries = {}] of Object.entries(fields)) {
    const key = Object.keys(entries).find((name) => !known.includes(name));
    if (key === undefined) continue;
    const meant = known.find((name) => name.endsWith(`/${key}`)) ?? closest(key, known);
    const hint = meant === null ? "" : ` Did you mean "${meant}"?`;
    throw new SlipwayError("config_invalid", `${AGENTS_FILE}: ${field}: there is no role "${key}".${hint}`, {
      file: AGENTS_FILE,
      field: `/${field.replaceAll(".", "/")}/${key}`,
      suggested_next_actions: [`\`slipway agents\` lists every role; a name without a protocol means a role of ${DEFAULT_PROTOCOL}.`],
    });
  }
}
