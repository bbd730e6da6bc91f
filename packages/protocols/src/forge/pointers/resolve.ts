import type { DesignPayload } from "../schemas/design.ts";
import type { SpecPayload } from "../schemas/spec.ts";
import type { ForgeTask } from "../schemas/task.ts";
import { yamlText } from "../schemas/yaml.ts";
import { parsePointer, type PointedFile, type Pointer } from "./pointer.ts";

/** The payloads that pointers lead into: `payload` itself, which the file has below `agent_output`. */
export interface Pointed {
  readonly design: DesignPayload;
  readonly spec: SpecPayload;
}

export interface Section {
  readonly pointer: string;
  readonly file: PointedFile;
  readonly value: object;
}

export type ResolvedPointers =
  { readonly ok: true; readonly sections: readonly Section[] } | { readonly ok: false; readonly errors: readonly string[] };

type PointingTask = Pick<ForgeTask, "id"> & {
  readonly relevant_context: Pick<ForgeTask["relevant_context"], "design_sections" | "spec_requirements">;
};

/** All sections a task names, in its order, or every pointer that leads nowhere. */
export function resolvePointers({ id, relevant_context }: PointingTask, pointed: Pointed): ResolvedPointers {
  const { design_sections, spec_requirements } = relevant_context;
  const results = [
    ...design_sections.map((text, index) => resolve(text, "design-output.yaml", `design_sections/${index}`, pointed)),
    ...spec_requirements.map((text, index) => resolve(text, "spec-output.yaml", `spec_requirements/${index}`, pointed)),
  ];
  const errors = results.filter((result) => typeof result === "string");
  if (errors.length > 0) return { ok: false, errors: errors.map((error) => `tasks/${id}.yaml, relevant_context/${error}`) };
  const sections = results.filter((result) => typeof result === "object");
  return {
    ok: true,
    sections: sections.filter(({ pointer }, index) => sections.findIndex((other) => other.pointer === pointer) === index),
  };
}

/** For the prompt of an implementer: the named sections and nothing else of the two files. */
export function sectionsText(sections: readonly Section[]): string {
  return sections.map(({ pointer, value }) => `# ${pointer}\n${yamlText(value)}`).join("\n");
}

function resolve(text: string, expected: PointedFile, field: string, pointed: Pointed): Section | string {
  const parsed = parsePointer(text);
  if (!parsed.ok) return `${field}: ${parsed.problem}`;
  const { pointer } = parsed;
  if (pointer.file !== expected) return `${field}: ${JSON.stringify(text)} leads into ${pointer.file}, not into ${expected}`;
  const found = lookUp(pointer, pointed);
  return typeof found === "string" ? `${field}: ${JSON.stringify(text)} ${found}` : { pointer: text, file: pointer.file, value: found };
}

function lookUp({ file, list, key, value }: Pointer, { design, spec }: Pointed): object | string {
  const payload: Readonly<Record<string, unknown>> = file === "design-output.yaml" ? design : spec;
  const entries = Object.hasOwn(payload, list) ? payload[list] : undefined;
  if (!Array.isArray(entries)) return `does not resolve: ${file} has no list ${list}`;
  const found: unknown = entries.find((entry: unknown) => isKeyed(entry) && Object.hasOwn(entry, key) && entry[key] === value);
  return isKeyed(found) ? found : `does not resolve: ${list} has no entry with ${key} ${JSON.stringify(value)}`;
}

function isKeyed(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
