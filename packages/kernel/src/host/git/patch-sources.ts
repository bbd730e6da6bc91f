import { decodePath } from "./names.ts";

/**
 * The paths whose content a patch takes over without spelling it out: what its `copy from` and `rename from` headers name.
 * The names are read as git reads them. Prose may be taken for a header, never the other way round.
 */
export function sourcesOf(patch: Uint8Array): string[] {
  const text = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString("latin1");
  const names = [...text.matchAll(/^(?:copy from|rename from|rename old) ([^\n]*)/gm)].map(([, name = ""]) => nameIn(name));
  return [...new Set(names)].toSorted();
}

/** git ends a plain name at every white space but blank and tab, and makes one slash of several. */
function nameIn(header: string): string {
  const [plain = ""] = header.split(/[\r\v\f]/, 1);
  return decodePath(Buffer.from((unquoted(header) ?? plain).replaceAll(/\/{2,}/g, "/"), "latin1"));
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" };

/** A C-quoted name; null for what git would not take for one. */
function unquoted(header: string): string | null {
  const [, inner] = /^"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"/.exec(header) ?? [];
  if (inner === undefined) return null;
  return inner.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
}
