import { runCommand } from "../command.ts";
import type { OpenContext } from "../open.ts";
import { CLIENTS } from "./catalog.ts";
import { CLIENT_NAMES, type Client, type ClientName } from "./client.ts";
import { findCredentials } from "./credentials.ts";
import { locate } from "./open.ts";

/** The state of one client, with instructions for what is missing. */
export interface ClientProbe {
  readonly name: ClientName;
  readonly title: string;
  readonly installed: boolean;
  readonly program: string | null;
  readonly version: string | null;
  /** The version Slipway was tested with. */
  readonly tried: string;
  readonly signedIn: boolean;
  /** The variable whose key would be used; never its value. */
  readonly keyPresent: string | null;
  /** Instructions; empty if nothing is missing. */
  readonly fix: readonly string[];
}

export type ProbeContext = Pick<OpenContext, "agents" | "env" | "root">;

const PATIENCE_MS = 20_000;
const MAX_BYTES = 64 * 1024;

/** Only asks the programs for their version, one after the other: some use two cores for a second. */
export async function probeClients(
  context: ProbeContext,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ClientProbe[]> {
  const probes: ClientProbe[] = [];
  for (const name of CLIENT_NAMES) probes.push(await probeClient(CLIENTS[name], context, signal));
  return probes;
}

async function probeClient(client: Client, context: ProbeContext, signal: AbortSignal): Promise<ClientProbe> {
  const { env, agents } = context;
  const located = locate(client, context);
  const asked = located === null ? null : await versionOf(located.command, env, signal);
  const version = asked?.version ?? null;
  const configEnv = agents?.runtime.provider_config_env ?? null;
  const found = findCredentials(client, { env, configEnv, model: agents?.runtime.default_model ?? null, now: Date.now() });
  const keyPresent = found?.kind === "key" ? found.variable : null;
  const signedIn = found?.kind === "signed_in";
  const broken = located === null ? "is not installed" : version === null ? `is installed but does not start${asked?.problem ?? ""}` : null;
  const { name, title, program, install, tried, signIn, keys } = client;
  return {
    name,
    title,
    installed: version !== null,
    program: located?.command[0] ?? null,
    version,
    tried,
    signedIn,
    keyPresent,
    fix: [
      ...(broken === null ? [] : [`${program} ${broken}: ${install}`]),
      ...(found === null
        ? [`${program} has no key and no sign-in: ${signIn} Or set ${keys.map(({ variable }) => variable).join(" or ")}.`]
        : []),
    ],
  };
}

interface Asked {
  readonly version: string | null;
  readonly problem: string;
}

async function versionOf(command: readonly string[], env: ProbeContext["env"], signal: AbortSignal): Promise<Asked> {
  const own = Object.fromEntries(["PATH", "HOME"].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const asked = { command: [...command, "--version"], env: own, input: "", timeoutMs: PATIENCE_MS, maxOutputBytes: MAX_BYTES, signal };
  const end = await runCommand(asked);
  const version = end.kind === "exit" && end.exitCode === 0 ? (/\d+\.\d+\.\d+[\w.-]*/.exec(end.stdout)?.[0] ?? null) : null;
  const firstLine = (end.stderr.trim().split("\n")[0] ?? "").slice(0, 200);
  return { version, problem: firstLine === "" ? "" : ` (${firstLine})` };
}
