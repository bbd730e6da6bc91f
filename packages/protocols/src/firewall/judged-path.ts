import { foldedPath, visible } from "@slipway/kernel/paths/paths";
import { packPath } from "@slipway/kernel/host/file-views/pack-path";
import { SlipwayError } from "@slipway/agents/errors";

export type JudgedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** Slipway's configuration: no role touches it. */
export const CONFIGURATION = "slipway";
/** Slipway's own files in the checkout. A grant may name some of them, in exactly this spelling. */
export const PROJECTIONS = ".slipway";

// Ignored by HFS+ when it compares names.
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

/** The form in which a path of any spelling is judged, or why it cannot be judged. */
export function judgedPath(raw: string): JudgedPath {
  const refused = (reason: string): JudgedPath => ({ ok: false, reason: `the path ${visible(raw)} ${reason}` });
  let path: string;
  try {
    path = packPath(raw);
  } catch (error) {
    if (error instanceof SlipwayError) return { ok: false, reason: error.message };
    throw error;
  }
  if (IGNORED.test(path) || IGNORED.test(raw)) return refused("contains an invisible character");
  if (path !== path.normalize("NFC")) return refused("is not in the Unicode form NFC");
  if (path.split("/").some((name) => /[. ]$/.test(name)))
    return refused("has a name that ends with a dot or a space, which Windows ignores");
  const [top = ""] = path.split("/");
  if (twinName(top) === CONFIGURATION) return refused("is in Slipway's own folder");
  if (twinName(top) === PROJECTIONS && top !== PROJECTIONS) return refused(`is another spelling of ${PROJECTIONS}`);
  return { ok: true, path };
}

/** Equal for two names that some file system takes for one. */
function twinName(name: string): string {
  const [plain = ""] = name.split(":");
  // Upper case first, because some letters have a capital that is the capital of another letter.
  return foldedPath(plain.toUpperCase()).replace(/[. ]+$/, "");
}

export function twinPath(path: string): string {
  return path.split("/").map(twinName).join("/");
}

/** Tells whether some file system takes a path for one of these, or for a path below one, although its spelling is another. */
export function twinsOf(known: readonly string[]): (path: string) => string | null {
  const exact = new Set<string>();
  const byTwin = new Map<string, string>();
  for (const path of known.flatMap(withFolders)) {
    exact.add(path);
    byTwin.set(twinPath(path), path);
  }
  return (path) => {
    const odd = withFolders(path).find((part) => !exact.has(part) && byTwin.has(twinPath(part)));
    return odd === undefined ? null : (byTwin.get(twinPath(odd)) ?? null);
  };
}

/** The path after all the folders it is in. */
function withFolders(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}
