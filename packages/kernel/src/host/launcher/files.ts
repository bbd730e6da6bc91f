import { existsSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { FileDescriptor } from "./protocol.ts";

/** A new descriptor at the beginning of the file. The caller closes it. */
export function openFile(file: FileDescriptor): number {
  if ("from" in file) return openFromHost(file.from);
  return openContent("text" in file ? Buffer.from(file.text) : Buffer.from(file.bytes));
}

/** Cache: each content is written once to an unlinked file, and opened again for each reader. */
const contents = new Map<string, number>();

function openContent(content: Buffer): number {
  const key = content.toString("latin1");
  let descriptor = contents.get(key);
  if (descriptor === undefined) {
    const path = join(tmpdir(), `slipway-${randomBytes(9).toString("hex")}`);
    descriptor = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    writeSync(descriptor, content);
    contents.set(key, descriptor);
  }
  return openSync(`/proc/self/fd/${descriptor}`, "r");
}

/** The file may have been removed since the host was probed. */
function openFromHost(path: string): number {
  return openSync(existsSync(path) ? path : "/dev/null", "r");
}
