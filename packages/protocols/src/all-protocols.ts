import type { JournalEvent } from "@slipway/durable/chain";
import { repairIn } from "@slipway/kernel/change/work/repair";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import type { Database } from "@slipway/kernel/record/database/open";
import { narrateChange } from "./change/narrate.ts";
import { narrateBase } from "./narration/base-gates.ts";
import type { Line } from "./narration/line.ts";
import { oneLine } from "./narration/one-line.ts";
import type { Protocol } from "./protocol.ts";
import { PROTOCOLS, TOOL_SERVERS } from "./protocols.ts";
import { OPEN_SESSION } from "./tool-server.ts";

export function loadProtocols(): Promise<Protocol[]> {
  return Promise.all(PROTOCOLS.map(({ load }) => load()));
}

/** Brings the tables of every protocol up to date. */
export async function migrateProtocols({ db, sqlite }: Pick<Database, "db" | "sqlite">): Promise<void> {
  for (const { tables } of PROTOCOLS) if (tables !== undefined) await migrateOwner(db, sqlite.path, await tables());
}

/** The MCP tools of every protocol, besides the kernel's. */
export async function protocolTools(): Promise<AnyTool[]> {
  return (await Promise.all(PROTOCOLS.map(({ tools }) => tools?.() ?? []))).flat();
}

/** The servers of every protocol, each with its tools. */
export async function protocolServers(): Promise<{ name: string; summary: string; tools: readonly AnyTool[] }[]> {
  return Promise.all(TOOL_SERVERS.map(async ({ name, summary, load }) => ({ name, summary, tools: await load(OPEN_SESSION) })));
}

/**
 * What happened, in words of the run's protocol. `workflows` has the workflow of each root run that is known; for any other run the first
 * protocol that has words for the event is used. Agents' words are in it, and must not begin a line of their own.
 */
export function narrateWith(
  protocols: readonly Protocol[],
  workflows: ReadonlyMap<string, string> = new Map(),
): (event: JournalEvent) => Line | null {
  return (event) => {
    const workflow = workflows.get(event.stream.split("/")[0] ?? "");
    const own = protocols.filter(({ started }) => workflow === undefined || started.some(({ name }) => name === workflow));
    const told = own.map((protocol) => protocol.narrate(event)).find((one) => one !== null);
    const line = repaired(event) ?? narrateBase(event) ?? told ?? narrateChange(event);
    return line == null ? null : { ...line, text: oneLine(line.text) };
  };
}

function repaired(event: JournalEvent): Line | null {
  const repair = repairIn(event);
  return repair === null ? null : { feature: repair.feature_id, text: `repaired: ${repair.done.join("; ")}`, good: null };
}
