import { digestOf } from "@slipway/durable/canonical";
import type { EntryContent } from "../code-index/entry.ts";

export type ModuleDescription = Pick<EntryContent, "purpose" | "tags" | "io_summary">;

/** A fingerprint of input and output types only: names, errors and order differ between two authors of the same module. */
export function signatureOf({ io_summary }: Pick<ModuleDescription, "io_summary">): string {
  return digestOf([io_summary.inputs.map(typeIn).toSorted(), io_summary.outputs.map(typeIn).toSorted()]);
}

/** The type in `name: type`. */
function typeIn(line: string): string {
  const colon = line.indexOf(":");
  return (colon < 0 ? line : line.slice(colon + 1)).replaceAll(/\s+/g, "");
}
