import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { FileSystem } from "typescript/unstable/fs";

/** A folder that exists only in memory. */
export const VIRTUAL = "/slipway-virtual";

/** The files that the compiler may read: those added here, the standard library and the types of Node. No other file of the machine. */
export class Overlay {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, Set<string>>();
  readonly nodeTypes: string | null = nodeTypes();

  set(path: string, text: string): void {
    this.#files.set(path, text);
    for (let at = path; at !== VIRTUAL; at = dirname(at)) {
      const parent = dirname(at);
      const entries = this.#folders.get(parent) ?? new Set<string>();
      this.#folders.set(parent, entries.add(at));
    }
  }

  removeFile(path: string): void {
    this.#files.delete(path);
    this.#folders.get(dirname(path))?.delete(path);
  }

  /** Removes a folder with everything below it. */
  remove(folder: string): void {
    for (const path of this.#files.keys()) if (path.startsWith(`${folder}/`)) this.#files.delete(path);
    for (const path of this.#folders.keys()) if (path === folder || path.startsWith(`${folder}/`)) this.#folders.delete(path);
    this.#folders.get(dirname(folder))?.delete(folder);
  }

  readonly fileSystem: FileSystem = {
    readFile: (path) => (this.#isOurs(path) ? (this.#files.get(path) ?? null) : this.#isTypes(path) ? undefined : null),
    fileExists: (path) => (this.#isOurs(path) ? this.#files.has(path) : this.#isTypes(path) ? undefined : false),
    directoryExists: (path) => (this.#isOurs(path) ? this.#folders.has(path) : this.#isTypes(path) ? undefined : false),
    getAccessibleEntries: (path) => {
      if (!this.#isOurs(path)) return this.#isTypes(path) ? undefined : { files: [], directories: [] };
      const entries = [...(this.#folders.get(path) ?? [])];
      const name = (entry: string) => entry.slice(path.length + 1);
      return {
        files: entries.filter((entry) => this.#files.has(entry)).map(name),
        directories: entries.filter((entry) => !this.#files.has(entry)).map(name),
      };
    },
    realpath: (path) => (this.#isOurs(path) ? path : undefined),
  };

  #isOurs(path: string): boolean {
    return path === VIRTUAL || path.startsWith(`${VIRTUAL}/`);
  }

  #isTypes(path: string): boolean {
    if (STANDARD_LIBRARY.test(path)) return true;
    return this.nodeTypes !== null && TYPE_PACKAGES.some((name) => isAround(`${this.nodeTypes}/${name}`, path));
  }
}

/** It is beside the compiler's program. */
const STANDARD_LIBRARY = /\/@typescript\/typescript-[\w-]+\/lib(?:\/lib\.(?:[\w.]+\.)?d\.ts)?$/;
const TYPE_PACKAGES = ["@types/node", "undici-types"];

/** Below the folder, or one of its parents. */
function isAround(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`) || folder.startsWith(path === "/" ? path : `${path}/`);
}

/** The node_modules folder that has them. */
function nodeTypes(): string | null {
  try {
    return dirname(dirname(dirname(createRequire(import.meta.url).resolve("@types/node/package.json"))));
  } catch {
    return null;
  }
}
