import { existsSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { FileDescriptor } from "./protocol.ts";

/** A descriptor of its own, at the beginning of the file. The caller closes it. */
export function openFile(file: FileDescriptor): number {
  return "text" in file ? openText(file.text) : openFromHost(file.from);
}

/** Written once per process to a file that has no name any more, and opened anew for each reader. */
const texts = new Map<string, number>();

function openText(text: string): number {
  let descriptor = texts.get(text);
  if (descriptor === undefined) {
    const path = join(tmpdir(), `slipway-${randomBytes(9).toString("hex")}`);
    descriptor = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    writeSync(descriptor, text);
    texts.set(text, descriptor);
  }
  return openSync(`/proc/self/fd/${descriptor}`, "r");
}

/** It may have gone since the host was looked at. */
function openFromHost(path: string): number {
  return openSync(existsSync(path) ? path : "/dev/null", "r");
}
