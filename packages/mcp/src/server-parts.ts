import type { OpenedRepository } from "@slipway/kernel/open";
import type { DocumentSchemas } from "@slipway/kernel/tools/documents";
import type { ToolTable } from "@slipway/kernel/tools/table";
import { join } from "node:path";
import { readPins, SERVERS_FOLDER, TOOLS_FOLDER, type Pins } from "./catalog.ts";
import { inFlight } from "./in-flight.ts";
import { assertPinned } from "./pins.ts";
import type { OwnServer, ServerParts } from "./server.ts";
import { loadTools } from "./published-tools.ts";

const KEEP_ALIVE_MS = 10_000;

export interface ServerPartsOptions {
  readonly opened: Pick<OpenedRepository, "kernel">;
  readonly table: ToolTable;
  readonly documents: DocumentSchemas;
  readonly transport: Pins["transports"][number];
  readonly version: string;
  readonly report: (line: string) => void;
  readonly folder?: string;
  readonly keepAliveMs?: number;
  /** Its tools are in a folder of its own below `folder`. */
  readonly server?: OwnServer | undefined;
}

/** Reads catalog, pins and schemas from disk, and refuses wrong ones before the first client is served. */
export async function openServerParts(options: ServerPartsOptions): Promise<ServerParts> {
  const { opened, table, documents, transport, version, report, folder = TOOLS_FOLDER, keepAliveMs = KEEP_ALIVE_MS } = options;
  const { server = null } = options;
  const tools = loadTools(server === null ? folder : join(folder, SERVERS_FOLDER, server.name), table, documents);
  const pins = readPins(folder);
  await assertPinned(pins, transport);
  return { version, server, tools, pins, inFlight: inFlight(), keepAliveMs, kernel: () => opened.kernel(), report };
}
