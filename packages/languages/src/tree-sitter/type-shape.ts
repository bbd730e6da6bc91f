/** A type whose values a test can generate, independent of a language. */
export type TypeShape =
  | { readonly kind: "integer"; readonly name: string; readonly isUnsigned: boolean }
  | { readonly kind: "float" | "boolean" | "text" | "character" | "bytes" | "decimal" | "none"; readonly name: string }
  | { readonly kind: "list" | "set" | "optional"; readonly name: string; readonly of: TypeShape }
  | { readonly kind: "map"; readonly name: string; readonly key: TypeShape; readonly value: TypeShape }
  | { readonly kind: "tuple"; readonly name: string; readonly parts: readonly TypeShape[] }
  | { readonly kind: "named"; readonly name: string };

/** `Dict[str, int]` gives `Dict` and its two arguments; null if the text has another form. */
export function genericParts(text: string, open: "[" | "<"): { readonly name: string; readonly args: readonly string[] } | null {
  const close = open === "[" ? "]" : ">";
  const start = text.indexOf(open);
  if (start < 0 || !text.endsWith(close)) return null;
  return { name: text.slice(0, start).trim(), args: splitAtTopLevel(text.slice(start + 1, -1), ",") };
}

/** Splits at a separator that is not in brackets. */
export function splitAtTopLevel(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if ("[<({".includes(character)) depth++;
    else if ("]>)}".includes(character)) depth--;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  const last = text.slice(from).trim();
  return last === "" && parts.length === 0 ? [] : [...parts, ...(last === "" ? [] : [last])];
}
