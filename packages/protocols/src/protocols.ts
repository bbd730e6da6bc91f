import { SlipwayError } from "@slipway/durable/errors";
import type { JournalEvent } from "@slipway/durable/chain";
import { repairIn } from "@slipway/kernel/change/work/repair";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { Database } from "@slipway/kernel/record/database/open";
import { closest } from "@slipway/kernel/schema/hint";
import { narrateBase } from "./narration/base-gates.ts";
import type { Line } from "./narration/line.ts";
import { oneLine } from "./narration/one-line.ts";
import type { Protocol, ProtocolEntry } from "./protocol.ts";

/** Every protocol of the program, each loaded when it is needed. A new one is a folder and an entry here. */
export const PROTOCOLS: readonly ProtocolEntry[] = [
  {
    name: "features",
    summary: "several features side by side, each planned, built, tested and merged as a change of its own",
    takes: "specifications",
    delivers: "changes",
    started: ["features"],
    load: async () => (await import("./features/entry.ts")).features,
  },
  {
    name: "factory",
    summary: "a page of intent becomes tested, sealed modules and a release",
    takes: "a page",
    delivers: "one change",
    started: ["factory", "factory-release", "factory-late-change"],
    tables: async () => (await import("./factory/tables.ts")).FACTORY_TABLES,
    load: async () => (await import("./factory/entry.ts")).factory,
  },
];

/** The protocol that a run of the workflow is of. */
export function protocolOf(workflow: string): ProtocolEntry {
  const entry = PROTOCOLS.find(({ started }) => started.includes(workflow));
  if (entry !== undefined) return entry;
  throw new SlipwayError("workflow_unknown", `This program has no protocol with the workflow "${workflow}".`, {
    workflow,
    suggested_next_actions: ["Update Slipway if the run was started by a newer one."],
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

export function loadProtocols(): Promise<Protocol[]> {
  return Promise.all(PROTOCOLS.map(({ load }) => load()));
}

/** Brings the tables of every protocol up to date. */
export async function migrateProtocols({ db, sqlite }: Pick<Database, "db" | "sqlite">): Promise<void> {
  for (const { tables } of PROTOCOLS) if (tables !== undefined) await migrateOwner(db, sqlite.path, await tables());
}

/** What happened, in words of whichever protocol knows. Agents' words are in it, and must not begin a line of their own. */
export function narrateWith(protocols: readonly Protocol[]): (event: JournalEvent) => Line | null {
  return (event) => {
    const line =
      repaired(event) ?? narrateBase(event) ?? protocols.map((protocol) => protocol.narrate(event)).find((told) => told !== null);
    return line == null ? null : { ...line, text: oneLine(line.text) };
  };
}

function repaired(event: JournalEvent): Line | null {
  const repair = repairIn(event);
  return repair === null ? null : { feature: repair.feature_id, text: `repaired: ${repair.done.join("; ")}`, good: null };
}
