export type Json = Readonly<Record<string, unknown>>;

/** What a client writes is looked at field by field: everything may be missing, and everything may be of another kind. */
export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

export function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

export function parsedObject(line: string): Json | null {
  if (line === "") return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

/** Content is a string, or parts of which some carry text. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map((part) => text(part["text"]))
    .filter((part) => part !== "")
    .join("\n");
}
