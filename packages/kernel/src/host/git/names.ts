/** Pure rules about names: of files in a tree, of refs and of branches. */
import { sha256 } from "@slipway/durable/canonical";
import { IGNORED_BY_HFS } from "../../paths/paths.ts";

/**
 * git's names are bytes. Bytes that are not UTF-8 become lone surrogates (U+DC80 to U+DCFF, one per byte), which
 * `encodePath` turns back into the same bytes and `isWellFormed` recognises.
 */
export function decodePath(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  if (!text.includes("\ufffd") || Buffer.from(text, "utf8").equals(buffer)) return text;
  return Array.from(buffer, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");
}

export function encodePath(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path, "utf8");
  return Buffer.from(Array.from(path, (character) => character.charCodeAt(0) & 0xff));
}

export function splitZero(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    parts.push(output.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

/** True for ".git" and every other name that opens it on macOS or Windows; covers at least the names that git refuses. */
export function reachesGitFolder(path: string): boolean {
  return path.split(/[/\\]/).some((segment) => /^(?:\.git|git~\d+)[ .]*(?::.*)?$/s.test(bareName(segment)));
}

/** True for `.gitmodules` and its short names on Windows. */
export function isModulesFile(path: string): boolean {
  const name = bareName(path.slice(path.lastIndexOf("/") + 1));
  return /^\.gitmodules[ .]*(?::.*)?$/s.test(name) || /^gi[0-9a-z]{0,6}~\d+$/.test(name);
}

export function isAttributesFile(path: string): boolean {
  const name = bareName(path.slice(path.lastIndexOf("/") + 1));
  return /^\.gitattributes[ .]*(?::.*)?$/s.test(name) || /^gita[0-9a-z]{0,4}~\d+$/.test(name);
}

function bareName(segment: string): string {
  return segment.replaceAll(IGNORED_BY_HFS, "").normalize("NFC").toLowerCase();
}

/** Controls, format characters (bidirectional, zero-width), line and paragraph separators, and the backslash (a separator on Windows). */
export function hasUnsafeCharacter(path: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u.test(path);
}

export function escapes(path: string): boolean {
  return (
    path.startsWith("/") ||
    /^[A-Za-z]:/.test(path) ||
    path.split("/").some((segment) => segment === "" || segment === "." || segment === "..")
  );
}

const LONGEST_REF_PART = 150;

/**
 * Encodes any text as one part of a ref's name, injectively: other than plain characters become %xx. No dot is
 * left, so neither ".." nor a trailing ".lock" can occur. A long text becomes its start, a "+" and its digest.
 */
export function encodeRefPart(text: string): string {
  const encoded = Array.from(Buffer.from(text, "utf8"), encodeByte).join("");
  if (encoded.length <= LONGEST_REF_PART) return encoded === "" ? "%" : encoded;
  return `${encoded.slice(0, 80)}+${sha256(text)}`;
}

/** Undoes `encodeRefPart`, except for shortened texts. */
export function decodeRefPart(part: string): string {
  if (part === "%") return "";
  return Buffer.from(
    part.replaceAll(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
}

/** Stricter than git: refuses names that look like an option or a revision, or that other file systems or shells read differently. */
export function isSafeBranch(name: string): boolean {
  return (
    name.length <= 200 &&
    name !== "HEAD" &&
    name
      .split("/")
      .every(
        (part) =>
          /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part) &&
          !part.includes("..") &&
          !part.endsWith(".") &&
          !part.toLowerCase().endsWith(".lock"),
      )
  );
}

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
