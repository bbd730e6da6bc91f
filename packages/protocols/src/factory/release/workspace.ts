import { splitRef } from "../code-index/entry.ts";
import { jsonText } from "@slipway/kernel/record/documents/kind";
import { ENTRY_FILE, importName } from "@slipway/languages/typescript/layout";
import type { ShippedModule } from "../engineering/ports.ts";
import type { Release } from "./schema.ts";

type Module = Pick<ShippedModule, "module_id" | "version" | "depends_on" | "sources">;

/**
 * The modules of a release as files that Node runs and TypeScript checks, by path below the release folder. Each version has a folder of
 * its own that never changes, and the files around them are the same for every release: two releases never conflict.
 */
export function workspaceOf(release: Release, modules: readonly Module[]): Record<string, string> {
  const { failures: _, landing: __, ...manifest } = release;
  return {
    ...AROUND,
    ...Object.fromEntries(modules.flatMap((module) => Object.entries(moduleFiles(module, modules)))),
    [`releases/${release.release_id}.json`]: jsonText(manifest),
  };
}

function moduleFiles(module: Module, modules: readonly Module[]): Record<string, string> {
  const folder = folderOf(module);
  const files = Object.entries(module.sources).map(([path, text]) => [`${folder}/${path}`, text]);
  return { ...Object.fromEntries(files), ...linkFiles(module, modules) };
}

/** Each module imports the exact versions it was tested with, by the names in its source. A package may only name files of its own. */
function linkFiles(module: Module, modules: readonly Module[]): Record<string, string> {
  if (module.depends_on.length === 0) return {};
  const folder = folderOf(module);
  const used = module.depends_on.map(splitRef);
  const imports = Object.fromEntries(used.map(({ module_id }) => [importName(module_id), `./dependencies/${module_id}.ts`]));
  const links = used.map(({ module_id, version }) => {
    const sources = modules.find((one) => one.module_id === module_id && one.version === version)?.sources ?? {};
    return [`${folder}/dependencies/${module_id}.ts`, linkTo(`../../../${module_id}/${version}/${ENTRY_FILE}`, sources[ENTRY_FILE] ?? "")];
  });
  return { [`${folder}/package.json`]: jsonText({ private: true, type: "module", imports }), ...Object.fromEntries(links) };
}

function linkTo(file: string, entry: string): string {
  const hasDefault = /\bexport\s+default\b|\bas\s+default\b/.test(entry);
  return `export * from "${file}";\n${hasDefault ? `export { default } from "${file}";\n` : ""}`;
}

function folderOf({ module_id, version }: Pick<Module, "module_id" | "version">): string {
  return `${module_id}/${version}`;
}

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  module: "nodenext",
  target: "es2024",
  lib: ["es2024", "esnext.disposable"],
  types: ["node"],
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
};

const AROUND: Readonly<Record<string, string>> = {
  "package.json": jsonText({
    private: true,
    type: "module",
    engines: { node: ">=24" },
    scripts: { test: "node --test", check: "tsc --project ." },
    devDependencies: { "@types/node": "^24.0.0", typescript: ">=5.9.0" },
  }),
  "tsconfig.json": jsonText({ compilerOptions: COMPILER_OPTIONS, include: ["**/*.ts"] }),
  "README.md": `# Modules

Made and released by Slipway. Each version is sealed: it has a folder of its own, \`MM-<name>/<version>\`, and is never changed.

- \`implementation/index.ts\` is what you import.
- \`contract.json\` and \`examples.md\` say what it does, \`ship.json\` and \`tests/execution_log.json\` what was seen when it shipped.
- \`releases/\` has a manifest for every release.

\`node --test\` in this folder runs all tests with Node 24 alone; \`npm install && npm run check\` checks the types.
`,
};
