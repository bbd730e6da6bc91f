/**
 * Applies a git diff to the texts it was made from. A hunk that does not match is an error; there is no fuzzy search. Binary files are
 * skipped: a module has none.
 */
export function patched(files: Readonly<Record<string, string>>, diff: string): Record<string, string> {
  const after: Record<string, string> = { ...files };
  for (const part of diff.split(/^(?=diff --git )/m).filter((text) => text.startsWith("diff --git "))) {
    const from = pathIn(part, "---", "a/");
    const to = pathIn(part, "+++", "b/");
    if (from !== null && to === null) delete after[from];
    else if (to !== null) after[to] = rewritten(from === null ? "" : (files[from] ?? ""), part, to);
    else if (/^new file mode/m.test(part)) after[emptyPath(part)] = "";
    else if (/^deleted file mode/m.test(part)) delete after[emptyPath(part)];
  }
  return after;
}

/** Null for /dev/null, and for an empty file, whose diff has no such line. */
function pathIn(part: string, mark: string, prefix: string): string | null {
  const name = part.split("\n").find((line) => line.startsWith(`${mark} `));
  const path = name?.slice(mark.length + 1).replace(/\t$/, "");
  return path?.startsWith(prefix) === true ? path.slice(prefix.length) : null;
}

function emptyPath(part: string): string {
  return /^diff --git a\/(.*) b\/\1$/m.exec(part)?.[1] ?? "";
}

function rewritten(text: string, part: string, path: string): string {
  const before = text === "" ? [] : text.split(/(?<=\n)/);
  const after: string[] = [];
  let at = 0;
  const lines = part.split("\n");
  for (let index = lines.findIndex((line) => line.startsWith("@@ ")); index >= 0 && index < lines.length; index++) {
    const line = lines[index] ?? "";
    const start = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (start !== null) {
      const first = Number(start[1]) - (start[2] === "0" ? 0 : 1);
      after.push(...before.slice(at, first));
      at = first;
      continue;
    }
    const content = `${line.slice(1)}${lines[index + 1]?.startsWith("\\") === true ? "" : "\n"}`;
    if (line.startsWith("+")) after.push(content);
    else if (line.startsWith("-") || line.startsWith(" ")) {
      if (before[at] !== content) throw new TypeError(`The diff of ${path} was made from another text.`);
      if (line.startsWith(" ")) after.push(content);
      at++;
    }
  }
  return [...after, ...before.slice(at)].join("");
}
