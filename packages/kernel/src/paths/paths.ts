import { SlipwayError } from "../schema/errors.ts";

export type CanonicalPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

const MAX_PATH = 1024;
const MAX_SEGMENT_BYTES = 255;

// C0, DEL, C1, line and paragraph separators, spaces of no width, and the characters that reorder text on a screen.
// oxlint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/u;
// What HFS+ leaves out when it compares names, so that ".g\u200cit" opens ".git" there.
export const IGNORED_BY_HFS = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
const DRIVE = /^[A-Za-z]:/;

/**
 * Reduces a path to the one form every rule uses: relative to the repository, "/" between segments, no "." or "..".
 * Pure: what a symbolic link on disk does with it is the git room's business.
 */
export function canonicalPath(raw: string): CanonicalPath {
  if (raw.length > MAX_PATH) return refused(`is longer than ${MAX_PATH} characters`);
  if (!raw.isWellFormed()) return refused("is not valid Unicode");
  if (HIDDEN.test(raw)) return refused("contains a control, invisible or text-direction character");
  if (raw.includes("\\")) return refused('contains a backslash; write "/" between folders');
  if (raw.startsWith("/") || DRIVE.test(raw)) return refused("is absolute; write it relative to the repository");
  const segments: string[] = [];
  for (const segment of raw.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return refused("leaves the repository");
  }
  if (segments.length === 0) return refused("names no file in the repository");
  // "x/../C:" is "C:" once reduced.
  if (DRIVE.test(segments.join("/"))) return refused("is absolute; write it relative to the repository");
  for (const segment of segments) {
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return refused(`has a name longer than ${MAX_SEGMENT_BYTES} bytes`);
    if (isGitFolder(segment)) return refused("reaches into git's own folder");
  }
  return { ok: true, path: segments.join("/") };
}

export function assertCanonicalPath(raw: string): string {
  const result = canonicalPath(raw);
  if (result.ok) return result.path;
  throw new SlipwayError("path_out_of_bounds", `The path ${visible(raw)} ${result.reason}.`, {
    path: visible(raw),
    suggested_next_actions: ["Use a path relative to the repository's root, such as src/index.ts."],
  });
}

/** ".git" and the other names by which macOS and Windows open the same folder (the cases git's protectHFS and protectNTFS know). */
function isGitFolder(segment: string): boolean {
  const [name = ""] = segment.replaceAll(IGNORED_BY_HFS, "").normalize("NFC").toLowerCase().split(":");
  return /^(?:\.git|git~\d+)[ .]*$/.test(name);
}

/** The same text for names that are one file on a file system that ignores case, normalises or drops invisible characters. */
export function foldedPath(path: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(path)) return path.toLowerCase();
  // Upper case first, because some letters have a capital that is the capital of another letter.
  return path.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC").replaceAll(IGNORED_BY_HFS, "");
}

/** Safe to print: quotes around it, and everything that could hide or reorder text escaped. */
export function visible(text: string): string {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return JSON.stringify(short).replaceAll(/[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function refused(reason: string): CanonicalPath {
  return { ok: false, reason };
}
