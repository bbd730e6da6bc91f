import type { OpenedRepository } from "@slipway/kernel/open";
import type { DocumentSchemas } from "@slipway/kernel/tools/documents";
import type { ToolTable } from "@slipway/kernel/tools/table";
import { readPins, TOOLS_FOLDER, type Pins } from "./catalog.ts";
import { inFlight } from "./in-flight.ts";
import { assertPinned } from "./pins.ts";
import type { Counter } from "./server.ts";
import { loadTools } from "./published-tools.ts";

const SIGN_OF_LIFE_MS = 10_000;

export interface CounterOptions {
  readonly opened: Pick<OpenedRepository, "kernel">;
  readonly table: ToolTable;
  readonly documents: DocumentSchemas;
  readonly transport: Pins["transports"][number];
  readonly version: string;
  readonly report: (line: string) => void;
  readonly folder?: string;
  readonly signOfLifeMs?: number;
}

/** Reads catalog, pins and schemas from disk; anything wrong with them is told before the first client is served. */
export async function openCounter(options: CounterOptions): Promise<Counter> {
  const { opened, table, documents, transport, version, report, folder = TOOLS_FOLDER, signOfLifeMs = SIGN_OF_LIFE_MS } = options;
  const tools = loadTools(folder, table, documents);
  const pins = readPins(folder);
  await assertPinned(pins, transport);
  return { version, tools, pins, inFlight: inFlight(), signOfLifeMs, kernel: () => opened.kernel(), report };
}
