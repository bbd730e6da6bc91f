import { sha256 } from "./canonical.ts";

/** One row of a journal. `payload` is the stored text: canonical JSON, or a reference to the blob that contains it. */
export interface JournalEvent {
  readonly stream: string;
  readonly seq: number;
  readonly kind: string;
  readonly name: string;
  /** Identifies the result that the event records; unique within its stream. */
  readonly key: string | null;
  /** Wall clock, milliseconds. */
  readonly at: number;
  readonly payload: string;
  readonly prev: string;
  readonly hash: string;
}

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** `prev` of the first event of every stream. */
export const GENESIS = "0".repeat(64);

/** The only kind that may come first with a sequence number above 1: it replaces the events before it (see retention.ts). */
export const PRUNED = "pruned";

/** SHA-256 over the RFC 8785 text of the event without its hash. For flat members in this order JSON.stringify gives that text. */
export function eventHash({ at, key, kind, name, payload, prev, seq, stream }: Omit<JournalEvent, "hash">): string {
  return sha256(JSON.stringify({ at, key, kind, name, payload, prev, seq, stream }));
}

export type BrokenReason = "edited" | "gap" | "reordered" | "truncated" | "rolled_back" | "blob_missing" | "blob_corrupt";

export interface Broken {
  readonly seq: number;
  readonly reason: BrokenReason;
  readonly message: string;
}

/** `pruned`: how many events retention dropped; only the tombstone covers them. */
export type ChainVerdict =
  | { readonly ok: true; readonly events: number; readonly pruned: number; readonly head: Head }
  | { readonly ok: false; readonly broken: Broken };

export interface VerifyOptions {
  /** The chain up to here is verified already: the next row must follow it. */
  readonly after?: Head;
  /** The head in the database: the stream must end there. */
  readonly expectedHead?: Head | undefined;
  /** A head that was stored elsewhere; the stream must still contain it. */
  readonly keptHead?: Head | undefined;
}

export function verifyChain(rows: readonly JournalEvent[], options: VerifyOptions = {}): ChainVerdict {
  const verifier = chainVerifier(options);
  for (const row of rows) {
    const fault = verifier.next(row);
    if (fault !== null) return { ok: false, broken: nameFault(fault, (suspect) => rows.some((other) => isSuspect(other, suspect))) };
  }
  return verifier.end();
}

/** If this row is elsewhere in the stream, the fault is a reordering. */
export type Suspect = { readonly seq: number } | { readonly hash: string };

export interface Fault {
  readonly broken: Broken;
  readonly suspect: Suspect | null;
}

/** A gap whose row is elsewhere, or a link to a row elsewhere, is a reordering. */
export function nameFault({ broken, suspect }: Fault, foundElsewhere: (suspect: Suspect) => boolean): Broken {
  if (suspect === null || !foundElsewhere(suspect)) return broken;
  return { ...broken, reason: "reordered", message: `Event ${broken.seq} is not at its original position.` };
}

export interface ChainVerifier {
  next(row: JournalEvent): Fault | null;
  end(): ChainVerdict;
}

/** Takes the rows one by one, so that a long stream need not be in memory. */
export function chainVerifier({ after, expectedHead, keptHead }: VerifyOptions): ChainVerifier {
  let head: Head = after ?? { seq: 0, hash: GENESIS };
  let pruned = 0;

  return {
    next(row) {
      if (head.seq === 0 && row.kind === PRUNED && row.seq > 1) {
        head = { seq: row.seq - 1, hash: row.prev };
        pruned = head.seq;
        const fault = againstKept(head, keptHead);
        if (fault !== null) return fault;
      }
      const expected = head.seq + 1;
      if (row.seq > expected) return fault(expected, "gap", `Event ${expected} is missing.`, { seq: expected });
      if (row.seq < expected) return fault(row.seq, "reordered", `Event ${row.seq} comes after event ${head.seq}.`);
      if (eventHash(row) !== row.hash) return fault(row.seq, "edited", `Event ${row.seq} was changed after it was written.`);
      if (row.prev !== head.hash)
        return fault(row.seq, "edited", `Event ${row.seq} does not follow the event before it.`, { hash: row.prev });
      head = { seq: row.seq, hash: row.hash };
      return againstKept(head, keptHead);
    },
    end() {
      const broken = atEnd(head, expectedHead, keptHead);
      return broken === null ? { ok: true, events: head.seq, pruned, head } : { ok: false, broken };
    },
  };
}

function againstKept(head: Head, kept: Head | undefined): Fault | null {
  if (kept === undefined || kept.seq !== head.seq || kept.hash === head.hash) return null;
  return fault(
    head.seq,
    "rolled_back",
    `Event ${head.seq} differs from the head kept elsewhere: the stream was rolled back and written again.`,
  );
}

function atEnd(head: Head, expected: Head | undefined, kept: Head | undefined): Broken | null {
  if (expected !== undefined && head.seq < expected.seq) {
    return {
      seq: head.seq + 1,
      reason: "truncated",
      message: `The stream ends at event ${head.seq}; it was written up to event ${expected.seq}.`,
    };
  }
  if (expected !== undefined && (head.seq > expected.seq || head.hash !== expected.hash)) {
    return { seq: head.seq, reason: "edited", message: `The stream ends at event ${head.seq}, but its recorded head is another event.` };
  }
  if (kept !== undefined && head.seq < kept.seq) {
    return {
      seq: head.seq + 1,
      reason: "rolled_back",
      message: `The stream ends at event ${head.seq}; a head kept elsewhere names event ${kept.seq}.`,
    };
  }
  return null;
}

function fault(seq: number, reason: BrokenReason, message: string, suspect: Suspect | null = null): Fault {
  return { broken: { seq, reason, message }, suspect };
}

function isSuspect(row: JournalEvent, suspect: Suspect): boolean {
  return "seq" in suspect ? row.seq === suspect.seq : row.hash === suspect.hash;
}
