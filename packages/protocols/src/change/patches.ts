/** A file on the base (null if it does not exist) and its new text. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

export interface FilePatchLimits {
  readonly max_bytes: number;
  readonly max_files: number;
}

/** Unified diffs that replace whole files, split by the limits. A single file above the limit stays; the kernel refuses it. */
export function patchesOf(changes: readonly FileChange[], { max_bytes, max_files }: FilePatchLimits): string[] {
  const patches: { text: string; bytes: number; files: number }[] = [];
  for (const change of changes) {
    const text = diffOf(change);
    const bytes = Buffer.byteLength(text);
    const last = patches.at(-1);
    if (last === undefined || last.files === max_files || last.bytes + bytes > max_bytes) patches.push({ text, bytes, files: 1 });
    else Object.assign(last, { text: last.text + text, bytes: last.bytes + bytes, files: last.files + 1 });
  }
  return patches.map(({ text }) => text);
}

function diffOf({ path, before, after }: FileChange): string {
  const isNew = before === null;
  const head = `diff --git a/${path} b/${path}\n${isNew ? "new file mode 100644\n" : ""}`;
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  if (old.length === 0 && now.length === 0) return head;
  const body = [...old.map((line) => marked("-", line)), ...now.map((line) => marked("+", line))].join("");
  return `${head}--- ${isNew ? "/dev/null" : `a/${path}`}\n+++ b/${path}\n@@ -${range(old)} +${range(now)} @@\n${body}`;
}

function range({ length }: readonly string[]): string {
  return `${length === 0 ? 0 : 1},${length}`;
}

/** Lines with their terminators; the last one may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function marked(sign: "+" | "-", line: string): string {
  return line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
}
