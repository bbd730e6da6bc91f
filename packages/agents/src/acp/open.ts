import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { SlipwayError } from "../errors.ts";
import type { AcpConfig } from "@slipway/kernel/config/agent-parts/acp";
import { CLIENTS } from "../clients/catalog.ts";
import type { Client } from "../clients/client.ts";
import { findCredentials, keyVariables, secretsOf } from "../clients/credentials.ts";
import { authMissing } from "../clients/failures.ts";
import { writeInto } from "../clients/provider.ts";
import { agentEnvironment } from "../custom.ts";
import type { OpenContext } from "../open.ts";
import { findProgram } from "../program.ts";
import type { Provider } from "../provider.ts";
import type { Selection } from "../select.ts";
import { KNOWN_AGENTS, type AcpAgent, type KnownAgent } from "./agents.ts";
import { notInstalled } from "./failures.ts";
import { acpProvider } from "./provider.ts";

/** Opens `acp:<name>`: an agent of runtime.acp or a known one. Fails before any cost if something is missing. */
export async function openAcp(context: OpenContext, selection: Selection): Promise<Provider> {
  return acpProvider(agentFor(context, selection));
}

const NOTHING: AcpConfig = { env: [], programs: [] };

export function agentFor(context: OpenContext, selection: Selection): AcpAgent {
  const { agents, env, root } = context;
  const name = selection.provider.slice("acp:".length);
  const configured = agents?.runtime.acp?.[name] ?? NOTHING;
  const known = Object.hasOwn(KNOWN_AGENTS, name) ? KNOWN_AGENTS[name] : undefined;
  const command = configured.command ?? known?.command;
  if (command === undefined) throw unknownAgent(name, Object.keys(agents?.runtime.acp ?? {}));
  const [program = "", ...parameters] = command;
  const found = findProgram(program, env["PATH"], root);
  const common = {
    name,
    command: [found?.path ?? program, ...parameters],
    programs: [...(found?.folders ?? []), ...configured.programs.map((path) => resolve(root, path))],
    authMethods: configured.auth_method === undefined ? (known?.authMethods ?? []) : [configured.auth_method],
    mode: configured.mode ?? known?.mode ?? null,
    readsItself: known?.readsItself ?? false,
    usageLog: (known && CLIENTS[known.client].usageLog) ?? null,
    waits: (known && CLIENTS[known.client].waits) ?? null,
    timeoutMs: configured.timeout_seconds === undefined ? null : configured.timeout_seconds * 1000,
    install: known?.install ?? null,
  };
  const agent =
    known === undefined ? ownAgent(common, configured, context, selection) : knownAgent(common, known, configured, context, selection);
  if (found === null) throw notInstalled(agent, `could not be started: there is no program "${program}" on the PATH`);
  if (known !== undefined) credentialsOf(known, configured, context, selection);
  return agent;
}

function credentialsOf(
  { client: name }: KnownAgent,
  { base_url }: AcpConfig,
  { env, agents }: OpenContext,
  { configEnv, model }: Selection,
) {
  const client: Client = CLIENTS[name];
  const baseUrl = base_url ?? agents?.runtime[name]?.base_url ?? null;
  const found = findCredentials(client, { env, configEnv, model, now: Date.now() });
  // A self-hosted model may need no credentials.
  const credentials = found ?? (baseUrl === null ? null : { kind: "none" as const });
  if (credentials === null) throw authMissing(client);
  return { client, baseUrl, credentials };
}

type Common = Omit<AcpAgent, "keys" | "prepare">;

/** Gets the variables named for it, and configures itself. */
function ownAgent(common: Common, configured: AcpConfig, { env: host }: OpenContext, { configEnv }: Selection): AcpAgent {
  const keys = [...configured.env, ...(configEnv === null ? [] : [configEnv])];
  const env = agentEnvironment(host, keys);
  const surroundings = { env, hosts: configured.hosts ?? [], secrets: keys.flatMap((key) => host[key] ?? []) };
  return { ...common, keys, prepare: () => Promise.resolve({ ...surroundings, args: [], knowsRole: false, knowsModel: false }) };
}

/** Gets what the underlying client gets: key or sign-in, configuration, and the host of its models. */
function knownAgent(common: Common, known: KnownAgent, configured: AcpConfig, context: OpenContext, selection: Selection): AcpAgent {
  const { env: host } = context;
  return {
    ...common,
    keys: CLIENTS[known.client].keys.map(({ variable }) => variable),
    async prepare(request, home) {
      const { client, baseUrl, credentials } = credentialsOf(known, configured, context, { ...selection, model: request.model });
      const { env, files, hosts } = client.prepare({ request, home, baseUrl, credentials, nonce: randomBytes(12).toString("hex") });
      await writeInto(home, { ...(credentials.kind === "signed_in" ? credentials.files : {}), ...files });
      const own = { ...agentEnvironment(host, configured.env), TMPDIR: join(home, "tmp"), HOME: home };
      const modelSettings = request.model === null ? {} : known.modelSettings(request.model);
      return {
        env: { ...own, ...env, ...keyVariables(credentials), ...known.settings, ...modelSettings.env },
        args: modelSettings.args ?? [],
        hosts: configured.hosts ?? hosts,
        secrets: secretsOf(credentials),
        knowsRole: known.knowsRole,
        knowsModel: true,
      };
    },
  };
}

function unknownAgent(name: string, configured: readonly string[]): SlipwayError {
  const choices = [...new Set([...configured, ...Object.keys(KNOWN_AGENTS)])].map((choice) => `acp:${choice}`);
  return new SlipwayError("agent_provider_not_configured", `No command is configured for the ACP agent "${name}".`, {
    file: "slipway/agents.yaml",
    field: `runtime.acp.${name}.command`,
    suggested_next_actions: [`Set runtime.acp.${name}.command in slipway/agents.yaml, or use one of ${choices.join(", ")}.`],
  });
}
