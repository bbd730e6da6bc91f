import type { ExportedName, ModuleFiles } from "../language.ts";
import { ENTRY_FILE } from "./layout.ts";

/** The same module with functions that throw. A test that still passes does not test the module. */
export function hollowed(files: ModuleFiles, exported: readonly ExportedName[]): ModuleFiles {
  const others = Object.entries(files).filter(([path]) => !path.startsWith("implementation/"));
  return { ...Object.fromEntries(others), [ENTRY_FILE]: [HOLLOW, ...exported.map(hollow)].join("\n") };
}

const HOLLOW = `class HollowModule extends Error { name = "HollowModule"; }`;

function hollow({ name, kind }: ExportedName): string {
  const body =
    kind === "error" ? `class ${LOCAL}${name} extends Error {}` : `const ${LOCAL}${name} = ${kind === "value" ? "undefined" : CALLED};`;
  return `${body}\nexport { ${LOCAL}${name} as ${name} };`;
}

/** `default` can be exported, but not declared. */
const LOCAL = "hollow_";
const CALLED = `function () { throw new HollowModule("there is nothing in this module"); }`;
