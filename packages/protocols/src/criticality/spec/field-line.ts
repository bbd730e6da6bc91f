import { pathOf } from "@slipway/kernel/schema/violations";

/** The line, from 1, of the field that a JSON pointer names in a valid TOML text; of the nearest enclosing table if it is missing. */
export function lineOfField(text: string, pointer: string): number {
  const path = pathOf(pointer);
  let best = { line: 1, length: 0 };
  for (const { line, keys } of fieldsIn(text)) {
    const length = keys.every((key, index) => path[index] === key) ? keys.length : 0;
    if (length > best.length) best = { line, length };
  }
  return best.line;
}

interface PlacedField {
  readonly line: number;
  readonly keys: readonly string[];
}

const BARE_OR_QUOTED = String.raw`(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
const DOTTED = `${BARE_OR_QUOTED}(?:\\s*\\.\\s*${BARE_OR_QUOTED})*`;
const HEADER = new RegExp(`^\\s*\\[\\[?\\s*(${DOTTED})\\s*\\]`);
const ASSIGNMENT = new RegExp(`^\\s*(${DOTTED})\\s*=`);

/** Tables, keys, and the entries of a list that has one entry per line. */
function fieldsIn(text: string): PlacedField[] {
  const found: PlacedField[] = [];
  let table: readonly string[] = [];
  let list: { readonly keys: readonly string[]; entries: number } | null = null;
  text.split("\n").forEach((content, index) => {
    const line = index + 1;
    const header = list === null ? HEADER.exec(content)?.[1] : undefined;
    const assigned = list === null ? ASSIGNMENT.exec(content)?.[1] : undefined;
    if (header !== undefined) {
      table = keysIn(header);
      found.push({ line, keys: table });
    } else if (assigned !== undefined) {
      const keys = [...table, ...keysIn(assigned)];
      found.push({ line, keys });
      if (/=\s*\[\s*(?:#.*)?$/.test(content)) list = { keys, entries: 0 };
    } else if (list !== null) {
      if (/^\s*\]/.test(content)) list = null;
      else if (/^\s*[^\s#]/.test(content)) found.push({ line, keys: [...list.keys, String(list.entries++)] });
    }
  });
  return found;
}

function keysIn(dotted: string): string[] {
  return (dotted.match(new RegExp(BARE_OR_QUOTED, "g")) ?? []).map((key) => (/^["']/.test(key) ? key.slice(1, -1) : key));
}
