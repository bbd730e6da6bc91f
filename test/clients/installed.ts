import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { KNOWN_AGENTS } from "@slipway/agents/acp/agents";
import { CLIENTS } from "@slipway/agents/clients/catalog";
import { CLIENT_NAMES, type ClientName } from "@slipway/agents/clients/client";

/** The folder where `npm run test:clients` installs the clients. */
const INSTALLED = process.env["SLIPWAY_CLIENTS"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "slipway", "clients");

export const binFolder = join(INSTALLED, "node_modules", ".bin");

/** `npm run test:clients -- claude acp:codex api` runs only these; a client's name includes its ACP agent. */
const asked = (process.env["SLIPWAY_CLIENTS_ONLY"] ?? "").split(",").filter((name) => name !== "");

export function chosenClients(): readonly ClientName[] {
  return chosen(
    (name) => asked.includes(name),
    (name) => name,
  );
}

/** Over the Agent Client Protocol. */
export function chosenAgents(): readonly ClientName[] {
  return chosen(
    (name) => asked.includes(name) || asked.includes(`acp:${name}`),
    (name) => KNOWN_AGENTS[name]?.command[0] ?? name,
  );
}

export function apiIsChosen(): boolean {
  return asked.length === 0 || asked.includes("api");
}

function chosen(isAsked: (name: ClientName) => boolean, programOf: (name: ClientName) => string): readonly ClientName[] {
  const names = CLIENT_NAMES.filter((name) => asked.length === 0 || isAsked(name));
  for (const program of names.map(programOf))
    if (!existsSync(join(binFolder, program))) throw new Error(`${program} is not in ${binFolder}: npm run test:clients`);
  return names;
}

export const KEY = "sk-scripted-0123456789abcdef";

/** The client's key variable, with an invalid key. */
export function keyOf(name: ClientName): Record<string, string> {
  return Object.fromEntries(CLIENTS[name].keys.slice(0, 1).map(({ variable }) => [variable, KEY]));
}
