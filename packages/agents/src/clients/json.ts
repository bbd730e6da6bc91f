export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads client output defensively: any field may be missing or have another type. */
export function object(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function objects(value: unknown): readonly JsonObject[] {
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

export function parsedObject(line: string): JsonObject | null {
  if (line === "") return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** Content is a string or a list of parts, some with text. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map((part) => text(part["text"]))
    .filter((part) => part !== "")
    .join("\n");
}
