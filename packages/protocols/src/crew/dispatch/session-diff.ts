/** The part of a unified diff about one file. */
interface FileDiff {
  readonly text: string;
  readonly path: string | null;
}

/** Without a match where git quotes the name. */
const HEAD = /^diff --git a\/(.+) b\/\1(?=\n)/;

function partsOf(diff: string): FileDiff[] {
  if (diff === "") return [];
  // Every line of content begins with a space, a sign or a letter followed by no space, so only a head begins like this.
  return diff.split(/^(?=diff --git )/m).map((text) => ({ text, path: HEAD.exec(text)?.[1] ?? null }));
}

export interface SplitDiff {
  readonly repository: string;
  /** New texts of files in the folder, by their names in it; null where it is no text. */
  readonly session: Readonly<Record<string, string | null>>;
}

/** Parts a diff into the repository's files and those of a folder that is not in the repository, where every file is a new one. */
export function splitDiff(diff: string, folder: string): SplitDiff {
  const parts = partsOf(diff);
  const isOwn = ({ path }: FileDiff) => path?.startsWith(folder) === true;
  return {
    repository: parts
      .filter((part) => !isOwn(part))
      .map(({ text }) => text)
      .join(""),
    session: Object.fromEntries(parts.filter(isOwn).map(({ path, text }) => [(path ?? "").slice(folder.length), addedText(text)])),
  };
}

function addedText(part: string): string | null {
  if (/^GIT binary patch$/m.test(part)) return null;
  const start = part.search(/^@@ /m);
  if (start < 0) return "";
  const lines = part.slice(start).split("\n").slice(1);
  const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
  const isCut = lines.some((line) => line.startsWith("\\ No newline"));
  return `${added.join("\n")}${isCut ? "" : "\n"}`;
}

/** The lines that a diff adds, by file; a file whose name git quotes is called by the head of its part, so that none hides another. */
export function addedLines(diff: string): ReadonlyMap<string, string> {
  const added = partsOf(diff).map(({ path, text }) => [path ?? text.slice(0, text.indexOf("\n")), addedText(text) ?? ""] as const);
  return new Map(added);
}
