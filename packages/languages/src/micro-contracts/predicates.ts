/**
 * The predicate of a REQUIRES, ENSURES or INVARIANT clause. An expression is one of the target language, with its premises if it has the
 * form `A implies B`. Prose is for people and models: no test comes from it.
 */
export type Predicate =
  | { readonly kind: "expression"; readonly premises: readonly string[]; readonly conclusion: string }
  | { readonly kind: "prose"; readonly text: string; readonly reason: string }
  | { readonly kind: "witnessed"; readonly text: string; readonly witness: string };

/** Why a text is no boolean expression that a test can evaluate; null if it is one. */
export type ExpressionCheck = (text: string) => string | null;

const WITNESSED = /^(.*?)[ \t]*\(witnessed by ([A-Za-z_][A-Za-z0-9_]*)(?:<[^()]*>)?(?: type)?\)$/s;

/** The statement and its witness, if a predicate ends in `(witnessed by WITNESS)`: the compiler checks it. */
export function witnessedPredicate(text: string): Extract<Predicate, { kind: "witnessed" }> | null {
  const [, stated, witness] = WITNESSED.exec(text.trim()) ?? [];
  return stated === undefined || witness === undefined ? null : { kind: "witnessed", text: stated, witness };
}

export function readPredicate(text: string, check: ExpressionCheck): Predicate {
  const witnessed = witnessedPredicate(text);
  if (witnessed !== null) return witnessed;
  const parts = splitImplications(text);
  for (const part of parts) {
    const reason = part === "" ? `"implies" needs an expression on both sides` : check(withoutOld(part));
    if (reason !== null) return { kind: "prose", text, reason };
  }
  return { kind: "expression", premises: parts.slice(0, -1), conclusion: parts.at(-1) ?? "" };
}

/** `A implies B implies C` means that C holds if A and B do. */
export function splitImplications(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { at, depth } of codeCharacters(text)) {
    if (depth > 0 || at < from || !/^implies\b/.test(text.slice(at, at + 8)) || !/\s/.test(text[at - 1] ?? "")) continue;
    parts.push(text.slice(from, at).trim());
    from = at + "implies".length;
  }
  return [...parts, text.slice(from).trim()];
}

export interface OldExpression {
  readonly start: number;
  readonly end: number;
  /** What stands between the brackets. */
  readonly inner: string;
}

/** Each `old(…)` outside of text literals, in order. An `old` inside another belongs to its inner text. */
export function oldExpressions(text: string): OldExpression[] {
  const found: OldExpression[] = [];
  for (const { at } of codeCharacters(text)) {
    if (at < (found.at(-1)?.end ?? 0) || !/^old\s*\(/.test(text.slice(at)) || /[\w$.]/.test(text[at - 1] ?? "")) continue;
    const open = text.indexOf("(", at);
    const close = closingBracket(text, open);
    if (close > 0) found.push({ start: at, end: close + 1, inner: text.slice(open + 1, close).trim() });
  }
  return found;
}

/** The text with each `old(…)` replaced by what `name` returns for its position in the list. */
export function replaceOld(text: string, name: (old: OldExpression, index: number) => string): string {
  let rest = text;
  for (const [index, old] of [...oldExpressions(text).entries()].toReversed()) {
    rest = `${rest.slice(0, old.start)}${name(old, index)}${rest.slice(old.end)}`;
  }
  return rest;
}

function withoutOld(text: string): string {
  return replaceOld(text, ({ inner }) => `(${inner})`);
}

function closingBracket(text: string, open: number): number {
  for (const { at, depth } of codeCharacters(text.slice(open))) if (text[open + at] === ")" && depth === 0) return open + at;
  return -1;
}

/** Positions outside of text literals, each with the number of brackets that are open after it. */
function* codeCharacters(text: string): Generator<{ readonly at: number; readonly depth: number }> {
  let depth = 0;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quote !== null) {
      if (character === "\\") at++;
      else if (character === quote) quote = null;
      continue;
    }
    if (character === '"' || character === "'" || character === "`") quote = character;
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character)) depth--;
    yield { at, depth };
  }
}
