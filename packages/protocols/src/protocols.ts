import { SlipwayError } from "@slipway/agents/errors";
import { closest } from "@slipway/kernel/schema/hint";
import { crew } from "./crew/entry.ts";
import { criticality } from "./criticality/entry.ts";
import { factory } from "./factory/entry.ts";
import { features } from "./features/entry.ts";
import { forge } from "./forge/entry.ts";
import type { ProtocolEntry } from "./protocol.ts";
import type { ToolServerEntry } from "./tool-server.ts";

/** Every protocol of the program, each loaded when it is needed. A new one is a folder and an entry here. */
export const PROTOCOLS: readonly ProtocolEntry[] = [features, factory, criticality, forge, crew];

/** What `slipway run` means without --protocol, and whose roles stand in agents.yaml without one. */
export const DEFAULT_PROTOCOL = "features";

/** The MCP servers of all protocols. */
export const TOOL_SERVERS: readonly ToolServerEntry[] = PROTOCOLS.flatMap(({ servers = [] }) => servers);

/** The protocol that a run of the workflow is of. */
export function protocolOf(workflow: string): ProtocolEntry {
  const entry = PROTOCOLS.find(({ started }) => started.includes(workflow));
  if (entry !== undefined) return entry;
  throw new SlipwayError("workflow_unknown", `This program has no protocol with the workflow "${workflow}".`, {
    workflow,
    suggested_next_actions: ["Update Slipway if a newer version started the run."],
  });
}

export function toolServerNamed(name: string): ToolServerEntry {
  const entry = TOOL_SERVERS.find((known) => known.name === name);
  if (entry !== undefined) return entry;
  const names = TOOL_SERVERS.map((known) => known.name);
  throw new SlipwayError("invalid_cli_args", `There is no MCP server ${JSON.stringify(name)}.`, {
    suggested_next_actions: [`Name one of ${names.join(", ")}, or leave --server out for Slipway's own tools.`],
  });
}

export function protocolNamed(name: string): ProtocolEntry {
  const entry = PROTOCOLS.find((known) => known.name === name);
  if (entry !== undefined) return entry;
  const names = PROTOCOLS.map((known) => known.name);
  const meant = closest(name, names);
  throw new SlipwayError("invalid_cli_args", `There is no protocol ${JSON.stringify(name)}.`, {
    suggested_next_actions: [meant === null ? `Name one of ${names.join(", ")}.` : `Did you mean ${meant}?`, "slipway protocols"],
  });
}
