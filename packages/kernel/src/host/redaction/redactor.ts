import { buildAutomaton, type Automaton } from "./automaton.ts";
import type { Redactor, TextStream } from "./contract.ts";
import { formsOf } from "./forms.ts";
import { knownValueStream } from "./known-values.ts";
import { tokenStream } from "./patterns.ts";

export interface RedactorOptions {
  readonly secrets: readonly string[];
  /** Also redact text that looks like a well-known kind of token. False if the text must not change otherwise. */
  readonly patterns?: boolean;
}

/** Redacts secrets in everything that is stored. */
export function createRedactor({ secrets, patterns = true }: RedactorOptions): Redactor {
  // Built on first use, because most commands do not need it.
  let automaton: Automaton | null = null;
  const stream = (): TextStream => {
    // There are no known secrets.
    if (secrets.length === 0) return patterns ? tokenStream() : asItIs();
    automaton ??= buildAutomaton([...new Set(secrets.flatMap(formsOf))]);
    const known = knownValueStream(automaton);
    return patterns ? inSequence(known, tokenStream()) : known;
  };
  const text = (input: string): string => {
    const own = stream();
    return own.write(input) + own.end();
  };
  // No known secrets and no patterns: nothing to redact.
  if (secrets.length === 0 && !patterns) return { text: (input) => input, stream, value: (value) => value };
  return { text, stream, value: <T>(value: T) => redactValue(value, text) as T };
}

function asItIs(): TextStream {
  return { write: (chunk) => chunk, end: () => "" };
}

function inSequence(first: TextStream, second: TextStream): TextStream {
  return {
    write: (chunk) => second.write(first.write(chunk)),
    end: () => second.write(first.end()) + second.end(),
  };
}

/** Returns the same value, not a copy, if there is nothing to redact. */
function redactValue(value: unknown, text: (input: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactValue(item, text));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const members = Object.entries(value);
  const safe = members.map(([key, item]) => [text(key), redactValue(item, text)] as const);
  const isSame = safe.every(([key, item], index) => key === members[index]?.[0] && item === members[index][1]);
  // For other than plain objects, pass on only the inspected properties.
  return isSame && Object.getPrototypeOf(value) === Object.prototype ? value : Object.fromEntries(safe);
}
