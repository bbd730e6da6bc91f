import { createHash } from "node:crypto";
import { closeSync, fsync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "@slipway/durable/environment";
import { hasCode, nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { ensureDirectory, translateFileError } from "@slipway/kernel/host/files/write-atomic";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { Redactor } from "@slipway/kernel/host/redaction/redactor";
import type { Moment, TranscriptHead, Watch } from "./line.ts";
import { redactedMoments } from "./redact.ts";

export interface TranscriptPlace {
  /** Where it is written until it has ended. */
  readonly folder: string;
  readonly objects: Objects;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

export interface Transcript {
  readonly watch: Watch;
  /**
   * After the end: the file becomes an object. Null, with the reason, when it could not be written: the answer matters more. `toDisk`,
   * once, puts it on the disk.
   */
  keep(): Promise<{ readonly digest: string; readonly toDisk: () => Promise<void> } | { readonly digest: null; readonly reason: string }>;
  /** The invocation has no outcome: the file stays where it is, for the curious. */
  leave(reason: string): void;
}

/**
 * Writes as it happens, and at once: after a crash everything up to it is on the disk. Synchronously, so that whoever talks faster
 * than the disk writes has to wait instead of filling the memory.
 */
export async function openTranscript(head: Omit<TranscriptHead, "kind" | "version">, place: TranscriptPlace): Promise<Transcript> {
  const { objects, redactor, clock } = place;
  const { path, descriptor } = await newFile(place.folder, `${head.run}/${head.step}`);
  const close = () => closeSync(descriptor);
  const digest = createHash("sha256");
  const moments = redactedMoments(redactor);
  let broken: string | null = null;
  let closed = false;

  function write(line: object): void {
    if (broken !== null || closed) return;
    try {
      const bytes = Buffer.from(`${JSON.stringify({ ...line, at: Math.floor(clock.now()) })}\n`);
      for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
      digest.update(bytes);
    } catch (error) {
      broken = wordsOf(error, path);
    }
  }

  write(redactor.value({ kind: "invocation", version: 1, ...head }));
  return {
    watch(moment) {
      const safe = moments.next(moment);
      if (Array.isArray(safe)) return safe.forEach(write);
      return safe.then((all) => all.forEach(write));
    },
    async keep() {
      moments.end().forEach(write);
      closed = true;
      if (broken !== null) {
        close();
        return { digest: null, reason: broken };
      }
      const name = digest.digest("hex");
      const nameToDisk = await objects.adopt(path, name).catch((error: unknown) => {
        close();
        throw error;
      });
      return { digest: name, toDisk: () => Promise.all([toDisk(descriptor).finally(close), nameToDisk()]).then(() => undefined) };
    },
    leave(reason) {
      if (closed) return;
      const last: Moment[] = [...moments.end(), { kind: "stopped", reason: redactor.text(reason) }];
      last.forEach(write);
      closed = true;
      close();
    },
  };
}

const toDisk = promisify(fsync);
const LONGEST_NAME = 180;

/** One for every try: what an earlier process left is not touched. */
async function newFile(folder: string, invocation: string): Promise<{ readonly path: string; readonly descriptor: number }> {
  const name = encodeURIComponent(invocation.slice(invocation.indexOf("/") + 1)).slice(-LONGEST_NAME);
  for (let number = 1, isThere = false; ;) {
    const path = join(folder, `${name}.${number}.jsonl`);
    try {
      return { path, descriptor: openSync(path, "wx", 0o600) };
    } catch (error) {
      if (hasCode(error, "EEXIST")) number++;
      else if (isThere || !hasCode(error, "ENOENT")) throw translateFileError(error, path);
      else {
        await ensureDirectory(nodeFileSystem, folder, 0o700);
        isThere = true;
      }
    }
  }
}

function wordsOf(error: unknown, path: string): string {
  const told = translateFileError(error, path);
  return told instanceof Error ? told.message : String(told);
}
