import { setImmediate as breathe } from "node:timers/promises";
import type { Redactor } from "@slipway/kernel/host/redaction/contract";
import type { Moment } from "./line.ts";

/** Limit of one intermediate text in a transcript. Prompts and answers are never cut. */
const MAX_CHARACTERS = 256 * 1024;
const PIECE = 64 * 1024;

/** Redacts events before they are written. Streamed text is joined first, because a secret may be split over two pieces. */
export interface RedactedMoments {
  next(moment: Moment): Moment[] | Promise<Moment[]>;
  end(): Moment[];
}

export function redactedMoments(redactor: Redactor): RedactedMoments {
  let text: { readonly stream: ReturnType<Redactor["stream"]> } | null = null;

  function flush(): Moment[] {
    const rest = text?.stream.end() ?? "";
    text = null;
    return rest === "" ? [] : [{ kind: "text", text: rest }];
  }

  function spoken(piece: string): Moment[] {
    text ??= { stream: redactor.stream() };
    const decided = text.stream.write(cut(piece));
    return decided === "" ? [] : [{ kind: "text", text: decided }];
  }

  return {
    next(moment) {
      if (moment.kind === "text") return spoken(moment.text);
      // A client's raw lines repeat the text they carry.
      if (moment.kind === "raw") return [{ kind: "raw", line: redactor.text(cut(moment.line)) }];
      const before = flush();
      if (moment.kind === "sent" || moment.kind === "answer") return whole(redactor, moment).then((after) => [...before, after]);
      return [...before, moment.kind === "tool" ? tool(redactor, moment) : redactor.value(moment)];
    },
    end: flush,
  };
}

function tool(redactor: Redactor, moment: Moment & { kind: "tool" }): Moment {
  return redactor.value({ ...moment, input: cutInside(moment.input), output: cut(moment.output) });
}

async function whole(redactor: Redactor, moment: Moment & { kind: "sent" | "answer" }): Promise<Moment> {
  if (moment.kind === "answer") return { ...moment, text: await long(redactor, moment.text) };
  return { ...moment, system: redactor.text(moment.system), prompt: await long(redactor, moment.prompt) };
}

/** In pieces, yielding after each: redacting megabytes at once would block the event loop. */
async function long(redactor: Redactor, text: string): Promise<string> {
  const stream = redactor.stream();
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += PIECE) {
    if (from > 0) await breathe();
    pieces.push(stream.write(text.slice(from, from + PIECE)));
  }
  return pieces.join("") + stream.end();
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS).toWellFormed()}… (${text.length - MAX_CHARACTERS} characters are left out)`;
}

function cutInside(value: unknown): unknown {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return value.map(cutInside);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutInside(item)]));
}
