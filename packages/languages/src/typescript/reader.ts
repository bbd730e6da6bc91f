import type { Contract } from "../contracts/schema.ts";
import type { ModuleFiles, ModuleReading, ModuleSources } from "../language.ts";
import { openCompiler, type OnStart, type OpenProject } from "./compiler.ts";
import { exportsOf } from "./exports.ts";
import { effectsIn, importsIn } from "./imports.ts";
import { isTestFile, workspaceFiles } from "./layout.ts";
import { surfaceOf } from "./surface.ts";
import { declarationsIn, testsIn } from "./tests-read.ts";
import { thrownIn } from "./throws.ts";

/** The calling thread waits for the compiler, without limits: only for code that is trusted, and for a thread of its own. */
export interface TypeScriptReader {
  readModule(sources: ModuleSources, contract: Contract): ModuleReading;
  elementsOf(files: ModuleFiles): ReadonlyMap<string, string>;
  close(): void;
}

/** Reads TypeScript modules with the compiler itself. */
export function openTypeScript(onStart?: OnStart): TypeScriptReader {
  const compiler = openCompiler(onStart);
  return {
    readModule({ files, dependencies }, contract) {
      const sources = { files: codeIn(files), ...(dependencies === undefined ? {} : { dependencies }) };
      return compiler.inProject(workspaceFiles(sources), (project) => {
        const own = filesOf(project, (path) => path.startsWith("implementation/"));
        const tests = filesOf(project, isTestFile);
        const found = {
          exported: exportsOf(project),
          thrown: own.flatMap(({ source }) => thrownIn(source, project.checker)),
          effects: [...new Set(own.flatMap(({ source }) => effectsIn(source, project.checker)))],
        };
        const imports = filesOf(project, (path) => !path.startsWith("dependencies/")).flatMap(({ path, source }) =>
          importsIn(source).map(({ specifier }) => ({ file: path, specifier })),
        );
        const declared = tests.flatMap(({ path, source }) => testsIn(source).map(({ name }) => ({ file: path, name })));
        const broken = project.problems(Object.keys(sources.files));
        // Last, because it adds files to the project.
        const { delivered, problems } = surfaceOf(project, found, contract);
        return {
          delivered,
          problems: [...broken, ...problems],
          exported: found.exported.map(({ name, kind }) => ({ name, kind })),
          imports,
          tests: declared,
        };
      });
    },
    elementsOf(files) {
      return compiler.inProject(codeIn(files), (project) => {
        const all = filesOf(project, () => true).flatMap(({ source }) => [...declarationsIn(source), ...testsIn(source)]);
        return new Map(all.flatMap(({ name, text }) => (name === null ? [] : [[name, text] as const])));
      });
    },
    close: () => compiler.close(),
  };
}

function codeIn(files: ModuleFiles): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => /^(implementation|tests)\/.*\.ts$/.test(path)));
}

function filesOf({ paths, file }: OpenProject, wanted: (path: string) => boolean) {
  return paths.filter(wanted).flatMap((path) => {
    const source = file(path);
    return source === undefined ? [] : [{ path, source }];
  });
}
