import type { Tx } from "./tables.ts";

/** One step of the schema. Its name identifies it: a released one is never edited or renamed. */
export interface Migration {
  readonly name: string;
  readonly up: (tx: Tx) => Promise<void>;
}

/** The tables of a protocol. Its migrations are recorded as `<owner>/<name>`. */
export interface OwnMigrations {
  readonly owner: string;
  readonly migrations: readonly Migration[];
  /** Names of those that were recorded before owners had names. */
  readonly former?: readonly string[];
}

/** Recorded by 0.1, when protocols had their tables among the kernel's. */
const FORMERLY_OF_PROTOCOLS: ReadonlySet<string> = new Set(["code-index", "artifacts", "projects", "project-origin", "artifact-texts"]);

/** Whether somebody else than the kernel answers for a recorded migration. */
export function isOfProtocol(name: string): boolean {
  return name.includes("/") || FORMERLY_OF_PROTOCOLS.has(name);
}
