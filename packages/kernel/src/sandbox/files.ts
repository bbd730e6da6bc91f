import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { SandboxFile } from "./arguments.ts";

/** A fresh descriptor for each file, at its beginning. The caller closes them. */
export function openFiles(files: readonly SandboxFile[]): number[] {
  const opened: number[] = [];
  try {
    for (const file of files) opened.push("text" in file ? openText(file.text) : openFromHost(file.from));
    return opened;
  } catch (error) {
    opened.forEach((descriptor) => closeSync(descriptor));
    throw error;
  }
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
  try {
    return openSync(path, "r");
  } catch {
    return openSync("/dev/null", "r");
  }
}
