import { SlipwayError } from "../schema/errors.ts";
import { TOOLS, type Tool } from "../config/rbac.ts";
import type { AnyTool } from "./tool.ts";

export type ToolTable = ReadonlyMap<string, AnyTool>;

/** Exactly the kernel's tools, and those of protocols, each once. Anything else stops start-up. */
export function assembleTools(definitions: readonly AnyTool[], expected: readonly Tool[] = TOOLS): ToolTable {
  const names = definitions.map(({ name }) => name);
  const problems = [
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is defined twice`),
    ...definitions
      .filter(({ name, roles }) => roles === undefined && !expected.includes(name))
      .map(({ name }) => `${name} is not a tool of the catalog`),
    ...expected.filter((name) => !names.includes(name)).map((name) => `${name} is not defined`),
  ];
  if (problems.length === 0) return new Map(definitions.map((definition) => [definition.name, definition]));
  throw new SlipwayError("internal_error", `The tools do not fit the catalog: ${problems.join("; ")}.`, {
    problems,
    suggested_next_actions: ["This is a defect of Slipway; install it again, and report it if it stays."],
  });
}
