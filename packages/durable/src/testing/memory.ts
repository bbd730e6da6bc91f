import { sha256 } from "../canonical.ts";
import type { Blobs } from "../environment.ts";
import { SlipwayError } from "../errors.ts";
import type { Inbox, OpenQuestion } from "../inbox.ts";

export interface MemoryBlobs extends Blobs {
  readonly stored: Map<string, Uint8Array>;
}

export function memoryBlobs(): MemoryBlobs {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    put(bytes) {
      const digest = sha256(bytes);
      stored.set(digest, bytes);
      return Promise.resolve(digest);
    },
    get(digest) {
      const bytes = stored.get(digest);
      return bytes === undefined
        ? Promise.reject(new SlipwayError("object_missing", `There is no object ${digest}.`))
        : Promise.resolve(bytes);
    },
  };
}

export interface MemoryInbox extends Inbox {
  readonly questions: Map<string, OpenQuestion & { closed: "answered" | "expired" | "cancelled" | null }>;
}

/** Idempotent, as `Inbox` requires. */
export function memoryInbox(): MemoryInbox {
  const questions: MemoryInbox["questions"] = new Map();
  return {
    questions,
    open(question) {
      if (!questions.has(question.id)) questions.set(question.id, { ...question, closed: null });
      return Promise.resolve();
    },
    close(runId, name, reason) {
      const question = questions.get(`${runId}#${name}`);
      if (question !== undefined) question.closed ??= reason;
      return Promise.resolve();
    },
  };
}
