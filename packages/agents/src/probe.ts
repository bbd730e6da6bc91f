import { KNOWN_AGENTS } from "./acp/agents.ts";
import { endpointsOf, isOwn, type Endpoint } from "./api/endpoints.ts";
import { probeClients, type ClientProbe, type ProbeContext } from "./clients/probe.ts";
import { PRICES } from "./prices/table.ts";
import { findProgram } from "./program.ts";
import { z } from "zod";

/** The state of one provider, for a person. No remote service is asked. */
export interface ProviderFinding {
  /** The name to choose it by: `claude`, `api`, `acp:codex` … */
  readonly name: string;
  /** Whether all its requirements are met, as far as a local check shows. */
  readonly ready: boolean;
  readonly version: string | null;
  /** How it would sign in: the name of a variable, never its value. */
  readonly access: string;
  /** Some of its models; other names are passed on unchanged. */
  readonly models: readonly string[];
  /** Instructions if it is not ready. */
  readonly fix: readonly string[];
}

export async function probeProviders(context: ProbeContext, signal?: AbortSignal): Promise<ProviderFinding[]> {
  const clients = await probeClients(context, signal);
  const endpoints = await Promise.all(endpointsOf(context.agents).map((endpoint) => ofEndpoint(endpoint, context)));
  return [...clients.map(ofClient), ...endpoints, ...ofAcp(context), ofCustom(context), ofManual(), ofReplay(context)];
}

const MAKERS: Readonly<Record<string, RegExp>> = {
  claude: /^(claude|opus$|sonnet$|haiku$)/,
  anthropic: /^claude/,
  codex: /^gpt/,
  openai: /^gpt/,
  gemini: /^gemini/,
  google: /^gemini/,
};
const SHOWN_MODELS = 6;

/** Models with a known price, newest first. */
function modelsOf(name: string): string[] {
  const pattern = MAKERS[name];
  return pattern === undefined
    ? []
    : Object.keys(PRICES)
        .filter((model) => pattern.test(model))
        .slice(0, SHOWN_MODELS);
}

function ofClient({ name, installed, version, signedIn, keyPresent, fix }: ClientProbe): ProviderFinding {
  const access = keyPresent !== null ? `key in ${keyPresent}` : signedIn ? "signed in" : "no key and no sign-in";
  return { name, ready: installed && fix.length === 0, version, access, models: modelsOf(name), fix };
}

/** One row per endpoint: each has its own key. */
async function ofEndpoint(endpoint: Endpoint, { env }: ProbeContext): Promise<ProviderFinding> {
  const { name, keyEnv, baseUrl } = endpoint;
  const row = { name: `api (${name})`, version: null };
  if (isOwn(endpoint)) {
    const models = await modelsAt(baseUrl);
    const fix = models === null ? [`No server answers at ${baseUrl}: start ${name} there.`] : [];
    return { ...row, ready: models !== null, access: "no key needed, on this machine", models: prefixed(name, models ?? []), fix };
  }
  const keyed = keyEnv === null || (env[keyEnv]?.trim() ?? "") !== "";
  const access = keyEnv === null ? "no key needed" : `${keyed ? "key" : "no key"} in ${keyEnv}`;
  const fix = keyed ? [] : [`Set ${keyEnv}, then use --agent-provider api --agent-model ${name}/MODEL.`];
  return { ...row, ready: keyed, access, models: prefixed(name, modelsOf(name)), fix };
}

function prefixed(endpoint: string, models: readonly string[]): string[] {
  return models.slice(0, SHOWN_MODELS).map((model) => `${endpoint}/${model}`);
}

const PATIENCE_MS = 1000;
const modelsReply = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The models a local server lists; null if there is no server. */
async function modelsAt(baseUrl: string): Promise<string[] | null> {
  try {
    const reply = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const listed = modelsReply.safeParse(await reply.json());
    return listed.success ? listed.data.data.map(({ id }) => id) : [];
  } catch {
    return null;
  }
}

function ofAcp({ agents, env, root }: ProbeContext): ProviderFinding[] {
  const configured = agents?.runtime.acp ?? {};
  return [...new Set([...Object.keys(KNOWN_AGENTS), ...Object.keys(configured)])].map((name) => {
    const known = Object.hasOwn(KNOWN_AGENTS, name) ? KNOWN_AGENTS[name] : undefined;
    const [program = ""] = configured[name]?.command ?? known?.command ?? [];
    const found = findProgram(program, env["PATH"], root) !== null;
    const install = known?.install ?? `install it, or correct runtime.acp.${name}.command in slipway/agents.yaml`;
    const access = known === undefined ? "configured by itself" : `as ${known.client}`;
    return {
      name: `acp:${name}`,
      ready: found,
      version: null,
      access,
      models: [],
      fix: found ? [] : [`${program} is not installed: ${install}`],
    };
  });
}

function ofCustom({ agents, env, root }: ProbeContext): ProviderFinding {
  const [program] = agents?.runtime.custom?.command ?? [];
  const found = program !== undefined && findProgram(program, env["PATH"], root) !== null;
  const fix =
    program === undefined
      ? ["Set runtime.custom.command in slipway/agents.yaml: a command that reads one JSON request and writes one JSON reply."]
      : [`${program} is not installed: install it, or correct runtime.custom.command in slipway/agents.yaml.`];
  return { name: "custom", ready: found, version: null, access: "configured by itself", models: [], fix: found ? [] : fix };
}

function ofManual(): ProviderFinding {
  return { name: "manual", ready: true, version: null, access: "you answer, through `slipway inbox`", models: [], fix: [] };
}

function ofReplay({ agents }: ProbeContext): ProviderFinding {
  const cassette = agents?.runtime.replay?.cassette;
  const access = cassette === undefined ? "recorded answers, with --cassette FOLDER" : `recorded answers from ${cassette}`;
  return { name: "replay", ready: true, version: null, access, models: [], fix: [] };
}
