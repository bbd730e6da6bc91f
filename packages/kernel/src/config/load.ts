import type { ReadFile } from "../host/files/read-file.ts";
import { digestOf } from "@slipway/durable/canonical";
import { SlipwayError } from "../schema/errors.ts";
import { gatesSchema, GATES_FILE, type GatesConfig } from "./gates.ts";
import { parseAgents, type AgentsConfig } from "./agents.ts";
import { parsePolicy, type Policy } from "./policy.ts";
import { parseYamlConfig } from "./yaml.ts";

export const POLICY_FILE = "slipway/policy.yaml";
export const AGENTS_FILE = "slipway/agents.yaml";

export interface Configuration {
  readonly policy: Policy;
  readonly gates: GatesConfig;
  /** Null when the repository has no agents.yaml. */
  readonly agents: AgentsConfig | null;
  /** Changes if anything that decides about a merge changes; providers of roles are not part of it. */
  readonly policyHash: string;
}

export async function loadConfiguration(readFile: ReadFile): Promise<Configuration> {
  const [policyBytes, gatesBytes, agentsBytes] = await Promise.all([POLICY_FILE, GATES_FILE, AGENTS_FILE].map(readFile));
  if (policyBytes == null || gatesBytes == null) {
    throw missing([...(policyBytes == null ? [POLICY_FILE] : []), ...(gatesBytes == null ? [GATES_FILE] : [])]);
  }
  const policy = parsePolicy(POLICY_FILE, policyBytes);
  const gates = parseYamlConfig(GATES_FILE, gatesBytes, gatesSchema);
  const agents = agentsBytes == null ? null : parseAgents(AGENTS_FILE, agentsBytes);
  return { policy, gates, agents, policyHash: policyHash(policy, gates) };
}

/** Without notifications: who is told about a run decides nothing about its merge. */
export function policyHash({ notifications: _told, ...policy }: Policy, gates: GatesConfig): string {
  return digestOf({ policy, gates });
}

function missing(files: readonly string[]): SlipwayError {
  const verb = files.length === 1 ? "does" : "do";
  return new SlipwayError("config_missing", `${files.join(" and ")} ${verb} not exist in the commit or folder that was read.`, {
    file: files[0],
    files,
    suggested_next_actions: ["Run `slipway init`, check what it wrote, and commit it."],
  });
}
