import type { Tx } from "./tables.ts";

/** One step of the schema. Its name identifies it: a released one is never edited or renamed. */
export interface Migration {
  readonly name: string;
  readonly up: (tx: Tx) => Promise<void>;
}
