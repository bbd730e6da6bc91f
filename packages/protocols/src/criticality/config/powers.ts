import { SlipwayError } from "@slipway/agents/errors";
import type { Powers } from "@slipway/kernel/config/trust/powers";
import { CONFIG_FILE, parseConfig, type CriticalityConfig } from "./config.ts";

/** The verifier is the only program that criticality.toml names. */
export async function powersOfConfig(read: (path: string) => Promise<string | null>): Promise<Powers> {
  const text = await read(CONFIG_FILE);
  const verifier = text === null ? null : verifierIn(text);
  if (verifier === null) return { programs: [], grants: [] };
  const { command, read_only } = verifier;
  return {
    programs: [{ command, runs: "in the sandbox", file: CONFIG_FILE, fields: ["verifier.command"] }],
    grants: read_only.map((path) => ({ text: `the verifier reads ${path}`, file: CONFIG_FILE, field: "verifier.read_only" })),
  };
}

/** A file that no run accepts starts nothing. */
function verifierIn(text: string): CriticalityConfig["verifier"] {
  try {
    return parseConfig(text, CONFIG_FILE).config.verifier;
  } catch (error) {
    if (error instanceof SlipwayError) return null;
    throw error;
  }
}
