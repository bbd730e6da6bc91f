import type { AgentsConfig } from "@slipway/kernel/config/agents";
import { secretsOf } from "@slipway/kernel/host/redaction/secrets";
import { CLIENTS } from "../clients/catalog.ts";
import { findCredentials, secretsOf as secretsIn } from "../clients/credentials.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter ones would also match ordinary words. */
const SHORTEST = 8;

/** Values to redact from transcripts: variables with secret-looking names, variables passed to an agent, and stored sign-ins of clients. */
export function agentSecrets(env: Environment, agents: AgentsConfig | null, also: readonly (string | null)[] = []): string[] {
  const given = [...also, ...namedIn(agents)].flatMap((name) => (name === null ? [] : [env[name]?.trim() ?? ""]));
  return [...new Set([...secretsOf(env), ...given, ...signIns(env)])].filter((value) => value.length >= SHORTEST);
}

function signIns(env: Environment): string[] {
  return Object.values(CLIENTS).flatMap((client) => {
    const keys = new Set(client.keys.map(({ variable }) => variable));
    // Without key variables, which are secrets by name; at time 0, because an expired sign-in is a secret too.
    const own = Object.fromEntries(Object.entries(env).filter(([name]) => !keys.has(name)));
    const found = findCredentials(client, { env: own, configEnv: null, model: null, now: 0 });
    return found === null ? [] : secretsIn(found);
  });
}

function namedIn(agents: AgentsConfig | null): string[] {
  const runtime = agents?.runtime;
  const endpoints = Object.values(runtime?.api?.endpoints ?? {}).flatMap(({ key_env }) => (key_env === undefined ? [] : [key_env]));
  const acp = Object.values(runtime?.acp ?? {}).flatMap(({ env }) => env);
  return [...(runtime?.provider_config_env === undefined ? [] : [runtime.provider_config_env]), ...endpoints, ...acp];
}
