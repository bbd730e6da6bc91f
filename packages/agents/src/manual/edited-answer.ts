import type { ProviderRequest } from "../provider.ts";

interface Variant {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown; readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

/** The answer for a person who only edited files: a patch, if the schema requires nothing else. */
export function answerForEdits(schema: ProviderRequest["schema"], summary: string): Record<string, unknown> | null {
  const variants = (schema["anyOf"] ?? schema["oneOf"] ?? [schema]) as readonly Variant[];
  const patch = variants.find(({ properties }) => properties?.["type"]?.const === "PATCH");
  const required = patch?.required ?? ["unknown"];
  return required.every((name) => name === "type" || name === "summary") ? { type: "PATCH", summary } : null;
}

/** Whether editing files of the pack can be the whole answer. */
export function mayEdit({ workplace, schema }: ProviderRequest): boolean {
  return workplace !== null && answerForEdits(schema, "") !== null;
}
