/** One line of text. Output of programs and words of agents must not become headings, links, tables or HTML. */
export function plain(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_[\]<>|#~]/g, (character) => `\\${character}`);
}

export function code(text: string): string {
  return oneLine(text) === "" ? "" : fenced(oneLine(text), 1);
}

export function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}sh\n${text}\n${fence}`;
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(columns), line(columns.map(() => "---")), ...rows.map((cells) => line(cells.map(plain)))].join("\n");
}

function fenced(text: string, least: number): string {
  const fence = "`".repeat(Math.max(least, longestRun(text) + 1));
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
