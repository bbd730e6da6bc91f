import { claude } from "./claude.ts";
import type { Client, ClientName } from "./client.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const CLIENTS: Readonly<Record<ClientName, Client>> = { claude, codex, gemini, opencode };
