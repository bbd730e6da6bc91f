import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CLIENTS } from "@slipway/agents/clients/catalog";
import type { ClientName } from "@slipway/agents/clients/client";

/** Where `npm run test:clients` puts the clients. */
const INSTALLED = process.env["SLIPWAY_CLIENTS"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "slipway", "clients");

export const binFolder = join(INSTALLED, "node_modules", ".bin");

/** `npm run test:clients -- claude codex` runs these only. */
export function chosenClients(): readonly ClientName[] {
  const all: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];
  const asked = (process.env["SLIPWAY_CLIENTS_ONLY"] ?? "").split(",").filter((name) => name !== "");
  const chosen = asked.length === 0 ? all : all.filter((name) => asked.includes(name));
  for (const name of chosen)
    if (!existsSync(join(binFolder, name))) throw new Error(`${name} is not in ${binFolder}: npm run test:clients`);
  return chosen;
}

export const KEY = "sk-scripted-0123456789abcdef";

/** The variable the client takes its key from, with one that opens nothing. */
export function keyOf(name: ClientName): Record<string, string> {
  return Object.fromEntries(CLIENTS[name].keys.slice(0, 1).map(({ variable }) => [variable, KEY]));
}
