import type { Contract, Dimensions } from "./contracts/schema.ts";

/** Texts by their path in the module: `implementation/…` and `tests/…`. */
export type ModuleFiles = Readonly<Record<string, string>>;

/** A module with the sources of its direct and indirect dependencies, by module id. */
export interface ModuleSources {
  readonly files: ModuleFiles;
  readonly dependencies?: Readonly<Record<string, ModuleFiles>>;
}

/** What static analysis of a module's code shows. */
export interface ModuleReading {
  /** The five dimensions as the code has them: an element that matches the contract is the contract's own. */
  readonly delivered: Dimensions;
  /** Parts of the contract that the language cannot express, and compile errors, one line each. */
  readonly problems: readonly string[];
  /** Everything exported that exists at run time. */
  readonly exported: readonly ExportedName[];
  readonly imports: readonly ModuleImport[];
  readonly tests: readonly DeclaredTest[];
}

export interface ExportedName {
  readonly name: string;
  readonly kind: "function" | "error" | "value";
}

export interface ModuleImport {
  readonly file: string;
  readonly specifier: string;
}

/** A test declared in the source; a computed name is null. */
export interface DeclaredTest {
  readonly file: string;
  readonly name: string | null;
}

/** Analyses modules of one language. Keeps a compiler running until it is closed. */
export interface LanguageReader {
  /** What the compiler cannot read within its limits has a problem that says so. */
  readModule(sources: ModuleSources, contract: Contract, signal?: AbortSignal): Promise<ModuleReading>;
  /** Named parts of the code (functions, classes, constants, tests) with their text, to find out what has changed. */
  elementsOf(files: ModuleFiles, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  close(): void;
}
