import { decodePath } from "./names.ts";

/**
 * The paths in the `copy from` and `rename from` headers of a patch, whose content it takes without containing it.
 * Reads the names as git does. May take prose for a header, but never misses a header.
 */
export function sourcesOf(patch: Uint8Array): string[] {
  const text = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString("latin1");
  const names = [...text.matchAll(/^(?:copy from|rename from|rename old) ([^\n]*)/gm)].map(([, name = ""]) => nameIn(name));
  return [...new Set(names)].toSorted();
}

/** git ends a plain name at any white space except blank and tab, and collapses slashes. */
function nameIn(header: string): string {
  const [plain = ""] = header.split(/[\r\v\f]/, 1);
  return decodePath(Buffer.from((unquoted(header) ?? plain).replaceAll(/\/{2,}/g, "/"), "latin1"));
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" };

/** A C-quoted name; null if git would not accept it. */
function unquoted(header: string): string | null {
  const [, inner] = /^"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"/.exec(header) ?? [];
  if (inner === undefined) return null;
  return inner.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
}
