export type StrictJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

const MAX_DEPTH = 200;
/** Keys that mean something to JavaScript objects and nothing to a person. */
export const UNSAFE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** JSON as RFC 8259 has it, and besides: no key twice, none that means something to JavaScript objects, no broken Unicode, no bottomless nesting. */
export function parseStrictJson(text: string): StrictJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // V8's message quotes the text around the place, which is what the author needs.
    return { ok: false, problem: `not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const problem = text.isWellFormed() ? tokenProblem(text) : BROKEN_UNICODE;
  return problem === null ? { ok: true, value } : { ok: false, problem };
}

const BROKEN_UNICODE = "a text in it is not valid Unicode";

// Sound only because JSON.parse has accepted the text already.
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

function tokenProblem(text: string): string | null {
  /** One entry per open bracket: the keys so far of an object, null for an array. */
  const open: (Set<string> | null)[] = [];
  let last = "";
  for (const token of text.match(TOKEN) ?? []) {
    if (token === "{" || token === "[") {
      if (open.push(token === "{" ? new Set() : null) > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token.includes("\\u") && !String(JSON.parse(token)).isWellFormed()) {
      return BROKEN_UNICODE;
    } else if (token === ":") {
      const key = last.includes("\\") ? String(JSON.parse(last)) : last.slice(1, -1);
      if (UNSAFE_KEYS.has(key)) return `the key ${JSON.stringify(key)} is not allowed`;
      if (open.at(-1)?.has(key) === true) return `the key ${JSON.stringify(key)} is given twice`;
      open.at(-1)?.add(key);
    }
    last = token;
  }
  return null;
}
