import { digestOf, sha256 } from "@slipway/durable/canonical";
import { visible } from "@slipway/kernel/paths/paths";
import type { z } from "zod";
import { askedText, correctedText, structuredText } from "./answer-request.ts";
import { shownSchema } from "./json-schema.ts";
import type { AnswerForm } from "./output.ts";
import type { Pack, PackSection } from "./pack.ts";
import type { Role } from "./role.ts";
import { GROUPS, voiceOf, type SectionGroup } from "./section-voice.ts";
import { canChange, NATIVE_TOOLS, type NativeTool } from "./tools/native-tools.ts";

export interface Prompt {
  readonly system: string;
  readonly text: string;
  /** The same for a provider that holds the answer to the schema itself. */
  readonly structured: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly accepted: Readonly<Record<string, unknown>>;
  /** Over the question, independent of its presentation: the same for every provider. */
  readonly digest: string;
  /** The complete text the digest is computed over. */
  readonly plain: string;
  readonly answer: AnswerForm;
}

export interface PromptParts {
  readonly role: Role;
  readonly subject: string;
  readonly pack: Pack;
  readonly instructions: string;
  readonly schema: z.ZodType;
  /** Default: json. */
  readonly answer?: AnswerForm | undefined;
  /** For a provider that only answers, where the answer also lists changed files. */
  readonly files?: FilesNote | null | undefined;
}

/** The only files an answer may change, create or delete. A path that ends with "/" stands for everything below it. */
export interface FilesNote {
  readonly writable: readonly string[];
  /** Parts of them that stay as they are. */
  readonly except?: readonly string[];
}

/** For a provider that has the files in a folder. */
export interface FolderNote extends FilesNote {
  /** The schema of the plain answer, if the answer from a folder differs. */
  readonly plainSchema: z.ZodType;
  /** The note of the plain prompt. */
  readonly plainFiles?: FilesNote;
}

/** 64 bits of the pack's digest: nobody can write a text that contains the digest of the pack that will contain the text. */
const FENCE_CHARACTERS = 16;
/** Sections whose content is in the folder. */
const IN_FOLDER: ReadonlySet<string> = new Set(["file", "listing"]);

type Layer = "stable" | "text";

/** Equal parts give equal bytes. */
export function buildPrompt(parts: PromptParts): Prompt {
  const { role, files, answer = "json" } = parts;
  const more = files == null ? [] : [filesText(files)];
  const plain = write(parts, "stable", more);
  const sent = parts.pack.sections.some(({ stable }) => stable !== undefined) ? write(parts, "text", more) : plain;
  return { ...sent, system: role.prompt, digest: promptDigest(role.prompt, plain.text), plain: plain.text, answer };
}

/** Without the texts of the files, which are in the agent's folder. A role that cannot read there gets them in the prompt. */
export function folderPrompt(parts: PromptParts, note: FolderNote, tools: readonly NativeTool[] = NATIVE_TOOLS): Prompt {
  const plain = buildPrompt({ ...parts, schema: note.plainSchema, files: note.plainFiles });
  const sections = tools.includes("read") ? parts.pack.sections.filter(({ kind }) => !IN_FOLDER.has(kind)) : parts.pack.sections;
  const more = tools.length === 0 ? [] : [folderText(canChange(tools) ? note : { writable: [] })];
  return { ...plain, ...write({ ...parts, pack: { ...parts.pack, sections } }, "text", more) };
}

function folderText({ writable, except }: FilesNote): string {
  const files = "# Folder\nThe files of the repository are in your working folder, as they are now.";
  if (writable.length === 0) return `${files} You cannot change them.`;
  return [
    `${files} You may change, create or delete the following there, and nothing else:`,
    ...listed(writable, except),
    "What you change there is your patch.",
  ].join("\n");
}

function filesText({ writable, except }: FilesNote): string {
  const parts = "# Files\nYour answer has two parts: `output` is the answer to the task, `files` lists the files you change.";
  return [
    `${parts} An entry has the \`path\` and the whole new \`content\` of one file; \`"content": null\` deletes it. Leave out files that stay as they are. You may change, create or delete the following, and nothing else:`,
    ...listed(writable, except),
  ].join("\n");
}

function listed(writable: readonly string[], except: readonly string[] = []): string[] {
  const lines = [...writable.map((path) => `- ${visible(path)}`), ...except.map((path) => `- but not ${visible(path)}`)];
  const folders = [...writable, ...except].some((path) => path.endsWith("/"));
  return folders ? [...lines, 'A path that ends with "/" stands for everything below it.'] : lines;
}

function write({ role, subject, pack, instructions, schema, answer = "json" }: PromptParts, layer: Layer, more: readonly string[]) {
  const shown = shownSchema(schema);
  const fence = `text-${pack.digest.slice(0, FENCE_CHARACTERS)}`;
  const groups = GROUPS.flatMap((group) => groupText(group, pack.sections, { fence, layer }));
  const task = `# Task\nRole: ${role.name}\nSubject: ${visible(subject)}\n\n${instructions.trim()}`;
  const fences = groups.length === 0 ? [] : [`Every text below stands between <<<${fence} and ${fence}>>>, and nothing else ends it.`];
  const question = [task, ...fences, ...groups, ...more].join("\n\n");
  return {
    text: `${question}\n\n${askedText(answer, shown.text)}`,
    structured: `${question}\n\n${structuredText(shown)}`,
    schema: shown.value,
    accepted: shown.accepted,
  };
}

/** The sections of one voice below their heading; nothing without sections. */
function groupText(
  { voice, heading, introduction }: SectionGroup,
  sections: readonly PackSection[],
  { fence, layer }: { readonly fence: string; readonly layer: Layer },
): string[] {
  const own = sections.filter(({ kind }) => voiceOf(kind) === voice);
  if (own.length === 0) return [];
  const texts = own.map(({ title, kind, text, stable = text }) => {
    const shown = layer === "stable" ? stable : text;
    return `## ${kind === "file" ? "file " : ""}${visible(title)}\n${fenced(fence, shown)}`;
  });
  return [`# ${heading}\n${introduction}`, ...texts];
}

/** The question again, with the invalid answer and its errors. */
export function repairPrompt(first: Prompt, answer: string, errors: readonly string[]): Prompt {
  const fence = `answer-${sha256(answer).slice(0, FENCE_CHARACTERS)}`;
  const repair = [
    `# Repair\nYour last answer was refused. It was:\n${fenced(fence, answer)}`,
    `What is wrong with it:\n${errors.map((error) => `- ${error}`).join("\n")}`,
  ];
  const again = (asked: string, ...more: readonly string[]) => [asked, ...repair, ...more].join("\n\n");
  const corrected = correctedText(first.answer);
  const plain = again(first.plain, corrected);
  return {
    ...first,
    text: again(first.text, corrected),
    structured: again(first.structured, "Give the whole corrected answer in the same form."),
    digest: promptDigest(first.system, plain),
    plain,
  };
}

function promptDigest(system: string, prompt: string): string {
  return digestOf({ system, prompt });
}

function fenced(fence: string, text: string): string {
  return `<<<${fence}\n${text}\n${fence}>>>`;
}
