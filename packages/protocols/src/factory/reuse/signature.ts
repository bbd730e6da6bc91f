import { digestOf } from "@slipway/durable/canonical";
import type { EntryContent } from "../code-index/entry.ts";

export type Described = Pick<EntryContent, "purpose" | "tags" | "io_summary">;

/** The fingerprint of what goes in and out by type alone: names, errors and order are what two makers of one thing choose differently. */
export function signatureOf({ io_summary }: Pick<Described, "io_summary">): string {
  return digestOf([io_summary.inputs.map(typeIn).toSorted(), io_summary.outputs.map(typeIn).toSorted()]);
}

/** `name: type`, as the index has it. */
function typeIn(line: string): string {
  const colon = line.indexOf(":");
  return (colon < 0 ? line : line.slice(colon + 1)).replaceAll(/\s+/g, "");
}
