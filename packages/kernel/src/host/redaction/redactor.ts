import { buildAutomaton, type Automaton } from "./automaton.ts";
import type { Redactor, TextStream } from "./contract.ts";
import { formsOf } from "./forms.ts";
import { knownValueStream } from "./known-values.ts";
import { tokenStream } from "./patterns.ts";

export interface RedactorOptions {
  readonly secrets: readonly string[];
  /** Whether what merely looks like a well-known kind of token goes, too. Not where a text has to stay what it is. */
  readonly patterns?: boolean;
}

/** Keeps secrets out of everything that is written down. */
export function createRedactor({ secrets, patterns = true }: RedactorOptions): Redactor {
  // Built on first use: most commands print nothing that needs it.
  let automaton: Automaton | null = null;
  const stream = (): TextStream => {
    // Nothing is known that could be found.
    if (secrets.length === 0) return patterns ? tokenStream() : asItIs();
    automaton ??= buildAutomaton([...new Set(secrets.flatMap(formsOf))]);
    const known = knownValueStream(automaton);
    return patterns ? inSequence(known, tokenStream()) : known;
  };
  const text = (input: string): string => {
    const own = stream();
    return own.write(input) + own.end();
  };
  // Nothing is known that could be found, and nothing else is looked for.
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

/** The same value, and no copy of it, where there is nothing to hide. */
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
  // Of anything but a plain object only what was looked at goes any further.
  return isSame && Object.getPrototypeOf(value) === Object.prototype ? value : Object.fromEntries(safe);
}
