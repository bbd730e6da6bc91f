import type { Clock } from "@slipway/durable/environment";
import { sha256 } from "@slipway/durable/canonical";

/** One read of a file: which bytes, when, and by which tool. */
export interface ReadRecord {
  readonly path: string;
  readonly digest: string;
  readonly at: number;
  readonly tool: "read" | "edit" | "grep";
}

export interface ReadLog {
  add(tool: ReadRecord["tool"], path: string, content: Uint8Array): void;
  readonly records: readonly ReadRecord[];
}

export function openReadLog(clock: Pick<Clock, "now">): ReadLog {
  const records: ReadRecord[] = [];
  return {
    records,
    add: (tool, path, content) => void records.push({ path, digest: sha256(content), at: clock.now(), tool }),
  };
}
