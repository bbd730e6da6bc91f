import { existsSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { FileDescriptor } from "./protocol.ts";

/** A descriptor of its own, at the beginning of the file. The caller closes it. */
export function openFile(file: FileDescriptor): number {
  if ("from" in file) return openFromHost(file.from);
  return openContent("text" in file ? Buffer.from(file.text) : Buffer.from(file.bytes));
}

/** Written once per process to a file that has no name any more, and opened anew for each reader. */
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

/** It may have gone since the host was looked at. */
function openFromHost(path: string): number {
  return openSync(existsSync(path) ? path : "/dev/null", "r");
}
