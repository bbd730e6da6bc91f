export interface PromptSections {
  /** Before the first section heading. */
  readonly intro: string;
  /** By heading, in the order of the text. */
  readonly sections: ReadonlyMap<string, string>;
}

/** Headings inside a fenced block belong to its text. */
export function sectionsOf(markdown: string, mark = "## "): PromptSections {
  const sections = new Map<string, string[]>();
  const intro: string[] = [];
  let current = intro;
  let isFenced = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isFenced = !isFenced;
    if (isFenced || !line.startsWith(mark)) {
      current.push(line);
      continue;
    }
    const heading = line.slice(mark.length).trim();
    current = sections.get(heading) ?? [];
    sections.set(heading, current);
  }
  const texts = [...sections].map(([heading, lines]) => [heading, lines.join("\n").trim()] as const);
  return { intro: intro.join("\n").trim(), sections: new Map(texts) };
}
