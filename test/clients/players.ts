import { WIRES } from "@slipway/agents/api/testing/endpoints";
import type { ClientName } from "@slipway/agents/clients/client";
import type { ModelServer } from "@slipway/agents/testing/model-server/server";
import type { ScriptedCall } from "@slipway/agents/testing/model-server/script";
import { apiIsChosen, chosenAgents, chosenClients, KEY, keyOf } from "./installed.ts";
import { HABITS } from "./models.ts";
import { BASE } from "./opened.ts";

/** A provider that carries a feature from its specification to its merge. */
interface Player {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** How its model writes a new file. */
  readonly write: (path: string, content: string) => readonly ScriptedCall[];
  /** For slipway/agents.yaml. */
  readonly runtime: (server: ModelServer) => object;
  readonly env: Readonly<Record<string, string>>;
}

export function players(): readonly Player[] {
  const clients = chosenClients().map((name): Player => ({
    ...habitual(name),
    name,
    provider: name,
    runtime: (server) => ({ [name]: at(server, name) }),
  }));
  const agents = chosenAgents().map((name): Player => ({
    ...habitual(name),
    name: `acp:${name}`,
    provider: `acp:${name}`,
    runtime: (server) => ({ acp: { [name]: at(server, name) } }),
  }));
  return [...clients, ...agents, ...(apiIsChosen() ? models() : [])];
}

function habitual(name: ClientName): Pick<Player, "model" | "write" | "env"> {
  const { model, write } = HABITS[name];
  return { model, write: (path, content) => write(path, content, null), env: keyOf(name) };
}

function at({ url }: ModelServer, name: ClientName): object {
  return { base_url: `${url}${BASE[name]}` };
}

/** The models behind an API, one per format. */
function models(): readonly Player[] {
  return WIRES.map(({ wire, kind, model }) => ({
    name: `api:${kind}`,
    provider: "api",
    model: `scripted/${model}`,
    write: (path, content) => [{ name: "write_file", input: { path, content } }],
    runtime: ({ baseUrls }) => ({ api: { endpoints: { scripted: { kind, base_url: baseUrls[wire], key_env: "SCRIPTED_KEY" } } } }),
    env: { SCRIPTED_KEY: KEY },
  }));
}
