import type { ModuleSources } from "../language.ts";

/** The one file through which a module is used. */
export const ENTRY_FILE = "implementation/index.ts";
/** The specifier of another module: the package's own `imports`, because Node does not run TypeScript from node_modules. */
export function importName(moduleId: string): string {
  return `#${moduleId}`;
}

/** A module as a package that Node runs and TypeScript checks. */
export function workspaceFiles({ files, dependencies = {} }: ModuleSources): Record<string, string> {
  const imports = Object.keys(dependencies).map((id) => [importName(id), `./dependencies/${id}/${ENTRY_FILE}`] as const);
  const theirs = Object.entries(dependencies).flatMap(([id, sources]) =>
    Object.entries(sources)
      .filter(([path]) => path.startsWith("implementation/"))
      .map(([path, text]) => [`dependencies/${id}/${path}`, text] as const),
  );
  const manifest = { name: "module", private: true, type: "module", imports: Object.fromEntries(imports) };
  return { ...files, ...Object.fromEntries(theirs), "package.json": `${JSON.stringify(manifest, null, 2)}\n` };
}

export function isTestFile(path: string): boolean {
  return /^tests\/.*\.test\.ts$/.test(path);
}
