import type { OpenContext } from "../open.ts";
import { findProgram } from "../program.ts";
import type { Provider } from "../provider.ts";
import type { Selection } from "../select.ts";
import { CLIENTS } from "./catalog.ts";
import type { Client } from "./client.ts";
import { findCredentials } from "./credentials.ts";
import { authMissing, notInstalled } from "./failures.ts";
import { clientProvider } from "./provider.ts";

export const openClaude = (context: OpenContext, selection: Selection) => openClient(CLIENTS.claude, context, selection);
export const openCodex = (context: OpenContext, selection: Selection) => openClient(CLIENTS.codex, context, selection);
export const openGemini = (context: OpenContext, selection: Selection) => openClient(CLIENTS.gemini, context, selection);
export const openOpencode = (context: OpenContext, selection: Selection) => openClient(CLIENTS.opencode, context, selection);

/** Checks installation and sign-in before any cost. */
async function openClient(client: Client, context: OpenContext, { model, configEnv }: Selection): Promise<Provider> {
  const { agents, env } = context;
  const config = agents?.runtime[client.name];
  const located = locate(client, context);
  if (located === null)
    throw notInstalled(client, config?.command === undefined ? undefined : `there is no program "${config.command[0]}"`);
  const baseUrl = config?.base_url ?? null;
  const timeoutMs = config?.timeout_seconds === undefined ? null : config.timeout_seconds * 1000;
  const keyless = client.name === "opencode" && baseUrl !== null;
  if (!keyless && findCredentials(client, { env, configEnv, model, now: Date.now() }) === null) throw authMissing(client);
  return clientProvider(client, { ...located, env, configEnv, baseUrl, timeoutMs, now: Date.now });
}

export interface Located {
  readonly command: readonly string[];
  readonly programs: readonly string[];
}

/** The configured command, or else the client's name on the PATH. */
export function locate(client: Client, { agents, env, root }: Pick<OpenContext, "agents" | "env" | "root">): Located | null {
  const [program = "", ...parameters] = agents?.runtime[client.name]?.command ?? [client.program];
  const found = findProgram(program, env["PATH"], root);
  return found === null ? null : { command: [found.path, ...parameters], programs: found.folders };
}
