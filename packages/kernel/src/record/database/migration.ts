import type { Tx } from "./tables.ts";

/** One step of the schema. Its name identifies it: never edit or rename a released migration. */
export interface Migration {
  readonly name: string;
  readonly up: (tx: Tx) => Promise<void>;
}

/** The tables of a protocol. Its migrations are recorded as `<owner>/<name>`. */
export interface OwnMigrations {
  readonly owner: string;
  readonly migrations: readonly Migration[];
  /** Migrations that Slipway 0.1 recorded without an owner. */
  readonly former?: readonly string[];
}

/** Slipway 0.1 recorded these tables of protocols as the kernel's own. */
const FORMERLY_OF_PROTOCOLS: ReadonlySet<string> = new Set(["code-index", "artifacts", "projects", "project-origin", "artifact-texts"]);

/** Whether a recorded migration belongs to a protocol, not to the kernel. */
export function isOfProtocol(name: string): boolean {
  return name.includes("/") || FORMERLY_OF_PROTOCOLS.has(name);
}
