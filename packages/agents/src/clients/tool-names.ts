import type { NativeTool } from "../tools/native-tools.ts";

/** A client's name of each tool. Null: it has none of its own. */
export type ToolNames = Readonly<Record<NativeTool, string | null>>;

/** In the order of the table, each once. */
export function namesOf(names: ToolNames, tools: readonly NativeTool[]): string[] {
  const granted = (Object.keys(names) as NativeTool[]).filter((tool) => tools.includes(tool)).map((tool) => names[tool]);
  return [...new Set(granted.filter((name) => name !== null))];
}
