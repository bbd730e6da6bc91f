import type { Contract, Dimensions } from "./contracts/schema.ts";

/** Texts by their path in the module: `implementation/…` and `tests/…`. */
export type ModuleFiles = Readonly<Record<string, string>>;

/** A module with whatever it calls: the sources of its dependencies, theirs included, by module id. */
export interface ModuleSources {
  readonly files: ModuleFiles;
  readonly dependencies?: Readonly<Record<string, ModuleFiles>>;
}

/** What the code of a module shows by itself, without being run. */
export interface ModuleReading {
  /** The five dimensions as the code has them: an element that fits the contract is the contract's own. */
  readonly delivered: Dimensions;
  /** What the contract has and the language cannot express, and code that does not compile, one line each. */
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

/** A test as it is written down; a name that is computed is null. */
export interface DeclaredTest {
  readonly file: string;
  readonly name: string | null;
}

/** Looks into modules of one language. Keeps a compiler running until it is closed. */
export interface LanguageReader {
  readModule(sources: ModuleSources, contract: Contract): ModuleReading;
  /** Named parts of the code (functions, classes, constants, tests) with their text, for telling what has changed. */
  elementsOf(files: ModuleFiles): ReadonlyMap<string, string>;
  close(): void;
}
