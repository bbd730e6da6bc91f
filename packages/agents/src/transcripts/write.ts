import { createHash } from "node:crypto";
import { closeSync, fsync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "@slipway/durable/environment";
import { hasCode, nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { ensureDirectory, translateFileError } from "@slipway/kernel/host/files/write-atomic";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { Redactor } from "@slipway/kernel/host/redaction/contract";
import type { Moment, TranscriptHead, Watch } from "./line.ts";
import { redactedMoments } from "./redact.ts";

export interface TranscriptPlace {
  /** Where the file is until it ends. */
  readonly folder: string;
  readonly objects: Objects;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

export interface Transcript {
  readonly watch: Watch;
  /**
   * After the end: stores the file as an object. If that fails, returns the reason and no digest, because the answer matters more. `toDisk`
   * syncs it, once.
   */
  keep(): Promise<{ readonly digest: string; readonly toDisk: () => Promise<void> } | { readonly digest: null; readonly reason: string }>;
  /** The invocation has no outcome: the file stays, for debugging. */
  leave(reason: string): void;
}

/**
 * Writes every event at once, so that a crash loses none. Synchronous, so that a provider faster than the disk waits instead of filling the
 * memory.
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

/** One file per attempt: files of an earlier process are not touched. */
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
  const translated = translateFileError(error, path);
  return translated instanceof Error ? translated.message : String(translated);
}
