import { SlipwayError } from "@slipway/kernel/schema/errors";
import { parseStrictJson } from "@slipway/kernel/schema/json";

export type Message =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: SlipwayError; readonly id: string | number | null };

/** Parses one message. Refuses a message with a repeated key, which parsers read differently, and a batch. */
export function readMessage(text: string): Message {
  const strict = parseStrictJson(text);
  if (!strict.ok) return { ok: false, error: unreadable(`The message is not accepted: ${strict.problem}.`), id: idIn(text) };
  if (!Array.isArray(strict.value)) return strict;
  return { ok: false, error: unreadable("The message is a batch; send each request on its own."), id: null };
}

/** The id for the error response, if the text has one. */
function idIn(text: string): string | number | null {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}

function unreadable(message: string): SlipwayError {
  return new SlipwayError("schema_validation_failed", message, {
    violations: [{ pointer: "", rule: "json", expected: "one JSON-RPC message without repeated or unsafe keys", message }],
    suggested_next_actions: ["Send one JSON object for each request, with every key once."],
  });
}
