import { join } from "node:path";
import { ACTOR_ROLES } from "@slipway/kernel/config/rbac";
import { readShipped } from "@slipway/kernel/tools/installed-file";
import { z } from "zod";

/** Shipped with the package, beside `src` and `dist`. */
export const TOOLS_FOLDER = join(import.meta.dirname, "..", "tools");

/** Below it, each server of a protocol has a folder with its catalog and schemas. */
export const SERVERS_FOLDER = "servers";

const entry = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(["read", "mutating"]),
  description: z.string().min(1),
  input_schema: z.string().min(1),
  output_schema: z.string().min(1),
  default_roles: z.array(z.enum(ACTOR_ROLES)),
  destructive: z.boolean(),
  idempotent: z.boolean(),
});

export const catalogSchema = z.strictObject({ version: z.literal(1), tools: z.array(entry) });

export type Catalog = z.infer<typeof catalogSchema>;
export type CatalogEntry = z.infer<typeof entry>;

export const protocolSchema = z.strictObject({
  version: z.literal(1),
  /** Newest first. */
  protocol_versions: z.array(z.string().regex(/^\d{4}-\d{2}-\d{2}$/)).min(1),
  sdk: z.record(z.string(), z.string().regex(/^\d+\.\d+\.\d+$/)),
  transports: z.array(z.enum(["stdio", "streamable_http"])).min(1),
});

export type Pins = z.infer<typeof protocolSchema>;

export function readCatalog(folder: string): Catalog {
  return readShipped(join(folder, "catalog.json"), catalogSchema);
}

export function readPins(folder: string): Pins {
  return readShipped(join(folder, "protocol.json"), protocolSchema);
}
