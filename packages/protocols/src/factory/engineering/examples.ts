import type { Contract } from "@slipway/languages/contracts/schema";

export interface ExampleSection {
  readonly title: string;
  /** The text without code blocks. */
  readonly prose: string;
  readonly blocks: readonly string[];
}

/** Examples are subsections or list items, each with its code blocks. */
export function sectionsOf(markdown: string): ExampleSection[] {
  const sections: { title: string; prose: string[]; blocks: string[][] }[] = [];
  let open: string[] | null = null;
  for (const line of markdown.split(/\r?\n/)) {
    const fence = /^\s*(?:```|~~~)/.test(line);
    if (open !== null) {
      if (fence) open = null;
      else open.push(line);
      continue;
    }
    const heading = /^\s{0,3}(?:#{1,6}|[-*]|\d+\.)\s+(.*)$/.exec(line);
    if (heading !== null || sections.length === 0) sections.push({ title: heading?.[1] ?? "", prose: [], blocks: [] });
    const current = sections.at(-1);
    if (fence) current?.blocks.push((open = []));
    else if (heading === null) current?.prose.push(line);
  }
  return sections.map(({ title, prose, blocks }) => ({
    title,
    prose: prose.join("\n").trim(),
    blocks: blocks.map((block) => block.join("\n")),
  }));
}

/** What an examples.md lacks. Callers see nothing else of a module besides its contract. */
export function exampleProblems(markdown: string | undefined, contract: Contract): string[] {
  if (markdown === undefined || markdown.trim() === "") return ["examples.md is missing"];
  const sections = sectionsOf(markdown);
  const complete = sections.filter(({ blocks }) => blocks.length >= 2 && blocks.every((block) => block.trim() !== ""));
  const errors = contract.error_surfaces.map(({ name }) => name);
  const shown = complete.some((section) => hasProse(section) && !errors.some((name) => isAbout(section, name)));
  const effects =
    contract.effects.length === 0 || complete.some((section) => /\beffect|before|after\b/i.test(`${section.title} ${section.prose}`));
  return [
    ...(shown ? [] : ["examples.md has no example of a call with a description, its input and its expected output in code blocks"]),
    ...errors
      .filter((name) => !complete.some((section) => isAbout(section, name)))
      .map((name) => `examples.md has no example for the error surface ${name}, with input and expected error in code blocks`),
    ...(effects ? [] : ["examples.md shows no effect, although the contract declares some"]),
    ...sections.flatMap(({ title, blocks }) =>
      blocks.flatMap((block) => placeholders(block).map((found) => `examples.md, "${title}": ${found} is a placeholder`)),
    ),
  ];
}

function isAbout({ title, prose, blocks }: ExampleSection, name: string): boolean {
  return [title, prose, ...blocks].some((text) => text.includes(name));
}

function hasProse({ title, prose }: ExampleSection): boolean {
  return `${title} ${prose}`.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length >= 3;
}

// `...name` is JavaScript syntax, not a placeholder.
const PLACEHOLDERS =
  /\bsome_[a-z_]+\b|\byour_[a-z_]+\b|<[a-z][\w ]*(?:here|value|input)[\w ]*>|…|(?<=["'`])\.{3}(?=["'`])|\.{3}(?![\w[{("'`])|\bTBD\b|\bTODO\b/gi;

function placeholders(block: string): string[] {
  return [...new Set(block.match(PLACEHOLDERS) ?? [])];
}
