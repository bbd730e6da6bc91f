import { sha256 } from "@slipway/durable/canonical";
import { SlipwayError } from "../../../schema/errors.ts";
import type { LineDiff } from "../../../host/git/line-diff.ts";
import { ABSENT, type RawEntry } from "../../../host/git/raw.ts";
import type { Hunk } from "./schema.ts";

/** A hunk with its content, independent of its position: the same lines further down are the same hunk. */
export interface DiffHunk {
  readonly path: string;
  readonly hunk: Hunk;
  readonly key: string;
}

interface Section {
  readonly entry: RawEntry;
  readonly isBinary: boolean;
  readonly hunks: readonly DiffHunk[];
}

/** Every hunk of a diff, in order. A file changed without a changed line is one hunk. */
export function hunksOf(diff: LineDiff): DiffHunk[] {
  const owners = diff.entries.flatMap((entry) => (entry.status === "T" ? [entry, entry] : [entry]));
  const texts = diff.text === "" ? [] : diff.text.split(/^(?=diff --git )/m);
  if (texts.length !== owners.length) {
    throw new SlipwayError("git_failed", `git listed ${owners.length} changes but printed ${texts.length}.`, {
      suggested_next_actions: ["Report this bug in Slipway with your version of git."],
    });
  }
  return owners.flatMap((entry, position) => wholeAndParts(sectionOf(entry, texts[position] ?? "")));
}

function sectionOf(entry: RawEntry, text: string): Section {
  const [head = "", ...bodies] = text.split(/^(?=@@ )/m);
  return { entry, isBinary: /^Binary files /m.test(head), hunks: bodies.map((body) => lineHunk(entry.path, body)) };
}

function lineHunk(path: string, text: string): DiffHunk {
  const end = text.indexOf("\n");
  const [, removed = "1", first = "0", added = "1"] = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text.slice(0, end)) ?? [];
  const [start, count] = [Number(first), Number(added)];
  const change_type = removed === "0" ? "added" : count === 0 ? "deleted" : "modified";
  const hunk = { start_line: start, end_line: start + Math.max(count, 1) - 1, change_type } as const;
  return { path, hunk, key: sha256(`${change_type}\n${text.slice(end + 1)}`) };
}

function wholeAndParts({ entry, isBinary, hunks }: Section): DiffHunk[] {
  const { path, oldMode, newMode, oldOid, newOid } = entry;
  const whole = (change_type: Hunk["change_type"], key: string): DiffHunk => ({
    path,
    hunk: { start_line: 0, end_line: 0, change_type },
    key: sha256(`${change_type}\n${key}`),
  });
  const content = `${oldOid} ${newOid}`;
  if (oldMode === ABSENT || newMode === ABSENT || entry.status === "T") {
    if (hunks.length > 0) return [...hunks];
    return [whole(isBinary ? "binary" : oldMode === ABSENT ? "added" : "deleted", content)];
  }
  const mode = oldMode === newMode ? [] : [whole("mode", `${oldMode} ${newMode}`)];
  return [...mode, ...(isBinary ? [whole("binary", content)] : hunks)];
}
