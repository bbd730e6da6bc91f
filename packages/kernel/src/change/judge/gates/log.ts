import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { sha256 } from "@slipway/durable/canonical";
import type { Redactor } from "../../../host/redaction/contract.ts";
import type { OutputStream } from "../../../host/sandbox/contract.ts";

export interface WrittenLog {
  readonly path: string;
  readonly digest: string;
  readonly truncated: boolean;
  /** The end of the log, for people and agents. */
  readonly excerpt: string;
}

export interface StepLog {
  append(stream: OutputStream, chunk: Uint8Array): void;
  /** A line of the harness itself. */
  note(text: string): void;
  write(path: string): WrittenLog;
}

const HEAD_CHARACTERS = 256 * 1024;
const TAIL_CHARACTERS = 256 * 1024;
const EXCERPT_CHARACTERS = 4_000;

/**
 * Both streams of one step, redacted and bounded: the beginning and the end are kept. Nothing is written to disk before the step has ended,
 * so that a secret split over both streams is redacted too.
 */
export function openLog(redact: Redactor, onText?: (text: string) => void): StepLog {
  const streams = { stdout: openStream(redact), stderr: openStream(redact) };
  const output = boundedText();
  const keep = (text: string) => {
    if (text === "") return;
    output.add(text);
    onText?.(text);
  };
  const finish = () => {
    for (const stream of Object.values(streams)) keep(endLine(stream.end()));
  };
  return {
    append: (stream, chunk) => keep(streams[stream].write(chunk)),
    note(text) {
      finish();
      keep(`[slipway] ${redact.text(text)}\n`);
    },
    write(path) {
      finish();
      const text = redact.text(output.text());
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o600 });
      return { path, digest: sha256(text), truncated: output.truncated(), excerpt: text.slice(-EXCERPT_CHARACTERS) };
    },
  };
}

function openStream(redact: Redactor): { write(chunk: Uint8Array): string; end(): string } {
  let decoder = new StringDecoder("utf8");
  let stream = redact.stream();
  return {
    write: (chunk) => stream.write(decoder.write(Buffer.from(chunk))),
    end() {
      const rest = stream.write(decoder.end()) + stream.end();
      decoder = new StringDecoder("utf8");
      stream = redact.stream();
      return rest;
    },
  };
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Memory is bounded by twice the tail. */
function boundedText(): { add(text: string): void; text(): string; truncated(): boolean } {
  let head = "";
  let tail = "";
  let dropped = 0;
  const trim = (to: number) => {
    if (tail.length <= to) return;
    dropped += tail.length - to;
    tail = tail.slice(-to);
  };
  return {
    add(text) {
      const room = HEAD_CHARACTERS - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      if (tail.length > 2 * TAIL_CHARACTERS) trim(TAIL_CHARACTERS);
    },
    text() {
      trim(TAIL_CHARACTERS);
      if (dropped === 0) return head + tail;
      return `${endLine(head)}[slipway] ${dropped} characters omitted here; the beginning and the end of the output are kept.\n${tail}`;
    },
    truncated: () => dropped > 0,
  };
}
