import type { PackItem } from "@slipway/agents/pack";
import type { ForgeRun } from "../forge-run.ts";
import { yamlText } from "../schemas/yaml.ts";

const MOST = 40;

export interface StoredMemory {
  readonly topic: string;
  readonly text: string;
}

/** What earlier runs stored for later ones, newest first. */
export async function memorySections({ change }: ForgeRun): Promise<PackItem[]> {
  const all = await change.services.kernel.decisions.list(MEMORY_SCOPE);
  const shown = all.slice(-MOST).toReversed();
  if (shown.length === 0) return [];
  const memories = shown.map(({ constraint, source }) => ({ topic: source, text: constraint }));
  return [{ title: "memories of earlier runs", kind: "memory", text: yamlText(memories) }];
}

/** Of the repository, in the kernel's ledger of decisions. */
export const MEMORY_SCOPE = "repository";
