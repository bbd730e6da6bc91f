import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** A diff that adds one file. `name` is quoted as git does it, so that "\\057" is a slash. */
export function adding(name: string, content = "hi\n", mode = "100644"): string {
  const lines = linesOf(content);
  const quoted = (prefix: string) => (/[\\"\p{Cc}\u0080-\uffff]/u.test(name) ? `"${prefix}/${name}"` : `${prefix}/${name}`);
  const hunk = `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`;
  const end = content.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  return `diff --git ${quoted("a")} ${quoted("b")}\nnew file mode ${mode}\n--- /dev/null\n+++ ${quoted("b")}\n${hunk}${end}`;
}

/** A diff that replaces the only line of a file. */
export function replacing(path: string, from: string, to: string): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
}

/** A diff that replaces everything in a file. */
export function rewriting(path: string, from: string, to: string): string {
  const [gone, here] = [linesOf(from), linesOf(to)];
  const body = [...gone.map((line) => `-${line}\n`), ...here.map((line) => `+${line}\n`)].join("");
  return `--- a/${path}\n+++ b/${path}\n@@ -1,${gone.length} +1,${here.length} @@\n${body}`;
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

export function moving(kind: "rename" | "copy", from: string, to: string): string {
  return `diff --git a/${from} b/${to}\nsimilarity index 100%\n${kind} from ${from}\n${kind} to ${to}\n`;
}

/** A new binary file without its bytes: only the id of an object that the repository may have. */
export function naming(path: string, object: string): string {
  return `diff --git a/${path} b/${path}\nnew file mode 100644\nindex ${"0".repeat(40)}..${object}\nBinary files /dev/null and b/${path} differ\n`;
}

/** A new binary file in git's encoding. `claimed` is the size that the patch declares. */
export function addingBinary(path: string, bytes: Uint8Array, claimed = bytes.length, blob = blobOf(bytes)): string {
  return [
    `diff --git a/${path} b/${path}\nnew file mode 100644\nindex ${"0".repeat(40)}..${blob}\nGIT binary patch\n`,
    `literal ${claimed}\n${base85(deflateSync(bytes))}\n\nliteral 0\nHcmV?d00001\n\n`,
  ].join("");
}

function blobOf(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** git's encoding: lines of at most 52 bytes, each with its length in front. */
function base85(packed: Uint8Array): string {
  const rows: string[] = [];
  for (let start = 0; start < packed.length; start += 52) {
    const row = packed.subarray(start, start + 52);
    const lead = row.length <= 26 ? String.fromCharCode(64 + row.length) : String.fromCharCode(70 + row.length);
    rows.push(`${lead}${encodeRow(row)}\n`);
  }
  return rows.join("").trimEnd();
}

function encodeRow(row: Uint8Array): string {
  let text = "";
  for (let start = 0; start < row.length; start += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = row.subarray(start, start + 4);
    let word = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
    let group = "";
    for (let digit = 0; digit < 5; digit++) {
      group = `${DIGITS[word % 85]}${group}`;
      word = Math.floor(word / 85);
    }
    text += group;
  }
  return text;
}
