import { decodePath } from "../names.ts";

export interface IndexEntry {
  /** Octal, as in `git ls-files --stage`. */
  readonly mode: string;
  readonly oid: string;
}

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size, before the object id. */
const STAT_BYTES = 40;
const MODE_OFFSET = 24;
const STAGE = 0x3000;
const EXTENDED = 0x4000;

/** The files in an index of version 2; null for any other format, which only git reads. */
export function parseIndex(bytes: Buffer, objectFormat: "sha1" | "sha256"): Map<string, IndexEntry> | null {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC" || bytes.readUInt32BE(4) !== 2) return null;
  const oidBytes = objectFormat === "sha1" ? 20 : 32;
  const entries = new Map<string, IndexEntry>();
  let at = HEADER_BYTES;
  for (let count = bytes.readUInt32BE(8); count > 0; count--) {
    const name = at + STAT_BYTES + oidBytes + 2;
    const end = bytes.indexOf(0, name);
    if (end < 0) return null;
    if ((bytes.readUInt16BE(name - 2) & (STAGE | EXTENDED)) !== 0) return null;
    entries.set(decodePath(bytes.subarray(name, end)), {
      mode: bytes
        .readUInt32BE(at + MODE_OFFSET)
        .toString(8)
        .padStart(6, "0"),
      oid: bytes.toString("hex", at + STAT_BYTES, at + STAT_BYTES + oidBytes),
    });
    // Padded with one to eight NULs to a multiple of eight.
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  return entries;
}
