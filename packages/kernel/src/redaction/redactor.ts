import { buildAutomaton, type Automaton } from "./automaton.ts";
import type { Redactor, TextStream } from "./contract.ts";
import { formsOf } from "./forms.ts";
import { knownValueStream } from "./known-values.ts";
import { tokenStream } from "./patterns.ts";

export type { Redactor } from "./contract.ts";

/** Keeps secrets out of everything that is written down. */
export function createRedactor({ secrets }: { readonly secrets: readonly string[] }): Redactor {
  // Built on first use: most commands print nothing that needs it.
  let automaton: Automaton | null = null;
  const stream = () => {
    automaton ??= buildAutomaton([...new Set(secrets.flatMap(formsOf))]);
    return inSequence(knownValueStream(automaton), tokenStream());
  };
  const text = (input: string): string => {
    const own = stream();
    return own.write(input) + own.end();
  };
  return { text, stream, value: <T>(value: T) => redactValue(value, text) as T };
}

function inSequence(first: TextStream, second: TextStream): TextStream {
  return {
    write: (chunk) => second.write(first.write(chunk)),
    end: () => second.write(first.end()) + second.end(),
  };
}

function redactValue(value: unknown, text: (input: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), redactValue(item, text)]));
}
