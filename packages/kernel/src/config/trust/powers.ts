import type { AgentsConfig } from "../agents.ts";
import { GATES_FILE } from "../gates.ts";
import { AGENTS_FILE, POLICY_FILE, type Configuration } from "../load.ts";

/** Where a program runs that a configuration names. */
export type Runs = "outside the sandbox" | "in the sandbox" | "in the sandbox, with network";

export interface NamedProgram {
  readonly command: readonly string[];
  readonly runs: Runs;
  readonly file: string;
  /** The places in the file that name it. */
  readonly fields: readonly string[];
}

/** Anything else that a configuration gives to programs: files, variables, addresses. */
export interface Grant {
  readonly text: string;
  readonly file: string;
  readonly field: string;
}

/** What a configuration may start and give away, for a person who decides whether to trust it. */
export interface Powers {
  readonly programs: readonly NamedProgram[];
  readonly grants: readonly Grant[];
}

export function powersOf({ policy, gates, agents }: Pick<Configuration, "policy" | "gates" | "agents">): Powers {
  return {
    programs: grouped([...agentPrograms(agents), ...gatePrograms(gates)]),
    grants: [...policyGrants(policy), ...agentGrants(agents)],
  };
}

/** The commands of agents.yaml, whose programs and scripts may be files of the checkout. */
export function agentCommands(agents: AgentsConfig | null): readonly (readonly string[])[] {
  return agentPrograms(agents).map(({ command }) => command);
}

function agentPrograms(agents: AgentsConfig | null): NamedProgram[] {
  if (agents === null) return [];
  const { custom, acp = {} } = agents.runtime;
  return [
    ...agentProgram("custom", custom?.command, custom?.works === "folder" ? "in the sandbox" : "outside the sandbox"),
    // Asked for their version outside; they work in the sandbox.
    ...clientsOf(agents).flatMap(([name, client]) => agentProgram(name, client?.command, "outside the sandbox")),
    ...Object.entries(acp).flatMap(([name, agent]) => agentProgram(`acp.${name}`, agent.command, "in the sandbox")),
  ];
}

function agentProgram(name: string, command: readonly string[] | undefined, runs: Runs): NamedProgram[] {
  return command === undefined ? [] : [{ command, runs, file: AGENTS_FILE, fields: [`runtime.${name}.command`] }];
}

function clientsOf({ runtime: { claude, codex, gemini, opencode } }: AgentsConfig) {
  return Object.entries({ claude, codex, gemini, opencode });
}

function gatePrograms({ profiles }: Configuration["gates"]): NamedProgram[] {
  return Object.entries(profiles).flatMap(([profile, { modes }]) =>
    Object.entries(modes).flatMap(([mode, steps]) =>
      (steps ?? []).map(({ name, cmd, network }) => ({
        command: cmd,
        runs: network === true ? ("in the sandbox, with network" as const) : ("in the sandbox" as const),
        file: GATES_FILE,
        fields: [`${profile}.${mode}.${name}`],
      })),
    ),
  );
}

/** A command that is named several times is one program. */
function grouped(programs: readonly NamedProgram[]): NamedProgram[] {
  const alike = Map.groupBy(programs, ({ command, runs, file }) => JSON.stringify([command, runs, file]));
  return [...alike.values()].flatMap((group) =>
    group.slice(0, 1).map((one) => ({ ...one, fields: group.flatMap(({ fields }) => fields) })),
  );
}

/** The variables that init writes, and that say nothing about a person. */
const HARMLESS: ReadonlySet<string> = new Set(["PATH", "LANG", "LC_ALL", "TZ"]);

function policyGrants({ sandbox, execution, notifications }: Configuration["policy"]): Grant[] {
  const variables = execution.env_allowlist.filter((name) => !HARMLESS.has(name));
  return [
    ...sandbox.read_only.map((path) => grant(POLICY_FILE, "sandbox.read_only", `gates read ${path}`)),
    ...sandbox.shared_paths.map((path) => grant(POLICY_FILE, "sandbox.shared_paths", `gates read ${path} of your checkout`)),
    ...variables.map((name) => grant(POLICY_FILE, "execution.env_allowlist", `gates get the value of ${name}`)),
    ...(notifications?.channels ?? []).map(({ endpoint }) =>
      grant(POLICY_FILE, "notifications.channels", `news of runs go to ${endpoint}`),
    ),
  ];
}

function agentGrants(agents: AgentsConfig | null): Grant[] {
  if (agents === null) return [];
  const { api, custom, acp = {}, web_search, provider_config_env } = agents.runtime;
  const acps = Object.entries(acp).map(([name, agent]) => [`acp.${name}`, agent] as const);
  return [
    ...Object.entries(api?.endpoints ?? {}).map(([name, { base_url = "its maker", key_env }]) =>
      ofAgent(`api.endpoints.${name}`, `${key_env === undefined ? "its key" : `the value of ${key_env}`} and the work go to ${base_url}`),
    ),
    ...[...clientsOf(agents), ...acps].flatMap(([name, client]) =>
      client?.base_url === undefined ? [] : [ofAgent(name, `its key and the work go to ${client.base_url}`)],
    ),
    ...acps.flatMap(([name, agent]) => reach(name, agent)),
    ...(custom === undefined ? [] : reach("custom", custom)),
    ...(web_search?.base_url === undefined ? [] : [ofAgent("web_search", `searches go to ${web_search.base_url}`)]),
    ...(provider_config_env === undefined
      ? []
      : [ofAgent("provider_config_env", `the provider gets the value of ${provider_config_env} as its key`)]),
  ];
}

interface Reach {
  readonly programs: readonly string[];
  readonly hosts?: readonly string[] | undefined;
  readonly env?: readonly string[];
}

function reach(name: string, { programs, hosts = [], env = [] }: Reach): Grant[] {
  return [
    ...programs.map((path) => ofAgent(name, `it reads ${path}`)),
    ...hosts.map((host) => ofAgent(name, `it reaches ${host}`)),
    ...env.map((variable) => ofAgent(name, `it gets the value of ${variable}`)),
  ];
}

function ofAgent(field: string, text: string): Grant {
  return grant(AGENTS_FILE, `runtime.${field}`, text);
}

function grant(file: string, field: string, text: string): Grant {
  return { text, file, field };
}
