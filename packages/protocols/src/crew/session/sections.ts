export interface MarkdownSection {
  readonly level: number;
  readonly title: string;
  /** Everything up to the next heading of the same level or above, without the heading itself. */
  readonly body: string;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The sections of a Markdown text. Headings inside code blocks are code. */
export function sectionsOf(markdown: string): MarkdownSection[] {
  const lines = markdown.split(/\r?\n/);
  const headings = headingsIn(lines);
  return headings.map(({ line, level, title }, index) => {
    const end = headings.slice(index + 1).find((next) => next.level <= level)?.line ?? lines.length;
    return {
      level,
      title,
      body: lines
        .slice(line + 1, end)
        .join("\n")
        .trim(),
    };
  });
}

function headingsIn(lines: readonly string[]): { line: number; level: number; title: string }[] {
  const found: { line: number; level: number; title: string }[] = [];
  let fence: string | null = null;
  for (const [line, text] of lines.entries()) {
    const mark = FENCE.exec(text)?.[1];
    if (fence !== null) {
      if (mark !== undefined && mark.startsWith(fence) && text.trim() === mark) fence = null;
    } else if (mark !== undefined) {
      fence = mark;
    } else {
      const [, hashes = "", title = ""] = HEADING.exec(text) ?? [];
      if (hashes !== "" && title !== "") found.push({ line, level: hashes.length, title });
    }
  }
  return found;
}

/** A section that a document must have: how it is called in a message, and which titles are taken for it. */
export interface Expected {
  readonly name: string;
  readonly title: RegExp;
}

export const section = (name: string, title: RegExp): Expected => ({ name, title });

/** Text besides headings, comments and rules. */
export function hasText(body: string): boolean {
  const text = body
    .replaceAll(/<!--[^]*?-->/g, "")
    .split("\n")
    .filter((line) => !HEADING.test(line));
  return /[\p{L}\p{N}]/u.test(text.join("\n"));
}

export function findSection(markdown: string, { title }: Expected): MarkdownSection | null {
  const all = sectionsOf(markdown).filter((each) => title.test(each.title));
  return all.find(({ body }) => hasText(body)) ?? all[0] ?? null;
}

/** One sentence for each section that is missing or empty. */
export function sectionProblems(file: string, markdown: string, expected: readonly Expected[]): string[] {
  return expected.flatMap((each) => {
    const found = findSection(markdown, each);
    if (found === null) return [`${file}: the section ${each.name} is missing`];
    return hasText(found.body) ? [] : [`${file}: the section ${each.name} is empty`];
  });
}

/** The entries of a list, of any depth. */
export function listEntries(body: string): string[] {
  return body.split("\n").flatMap((line) => /^\s*(?:[-*+]|\d+[.)])\s+(\S.*)$/.exec(line)?.[1] ?? []);
}
