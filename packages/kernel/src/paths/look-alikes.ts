import { foldedPath } from "./paths.ts";

/** Letters of other scripts by the Latin letter that they look like, as capitals or small ones. */
const LATIN: Readonly<Record<string, string>> = {
  a: "аαɑ",
  b: "вβь",
  c: "сϲ",
  d: "ԁ",
  e: "еεє",
  f: "ϝ",
  g: "ɡԍ",
  h: "нһη",
  i: "іιıӏ",
  j: "јϳ",
  k: "кκ",
  l: "ǀ",
  m: "мμ",
  n: "νпո",
  o: "оοօᴏ",
  p: "рρ",
  q: "ԛգ",
  r: "гᴦ",
  s: "ѕꜱ",
  t: "тτ",
  u: "υսᴜ",
  v: "ѵᴠ",
  w: "ԝωᴡ",
  x: "хχ",
  y: "уγү",
  z: "ζᴢ",
};
const LETTERS = new Map(Object.entries(LATIN).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)));
const PLAIN = /^[ -~]*$/;

/** Only such a name can look like another one without being the same. */
export function hasForeignLetter(path: string): boolean {
  return !PLAIN.test(path);
}

/** Equal for two paths that look alike, whatever the script of their letters. */
function looks(path: string): string {
  if (PLAIN.test(path)) return path.toLowerCase();
  return Array.from(foldedPath(path.normalize("NFKC")), (letter) => LETTERS.get(letter) ?? letter).join("");
}

/** For each new path, the known path or folder that it, or a folder of it, looks like but is not. */
export function lookAlikes(fresh: readonly string[], known: readonly string[]): { readonly path: string; readonly of: string }[] {
  if (!fresh.some(hasForeignLetter)) return [];
  const byLook = new Map<string, string>();
  for (const part of known.flatMap(withFolders)) if (!byLook.has(looks(part)) || PLAIN.test(part)) byLook.set(looks(part), part);
  return fresh.flatMap((path) => {
    for (const part of withFolders(path)) {
      const of = byLook.get(looks(part));
      if (of !== undefined && foldedPath(of) !== foldedPath(part)) return [{ path, of }];
    }
    return [];
  });
}

function withFolders(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}
