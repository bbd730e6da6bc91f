import { constants, accessSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";

export interface Program {
  /** Its path, as called. */
  readonly path: string;
  /** Folders outside the system's that the program needs. */
  readonly folders: readonly string[];
}

/** Mounted in every sandbox. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store"];

/** Finds the program like a shell, from the root of the repository; null if there is none. */
export function findProgram(name: string, searchPath: string | undefined, root: string): Program | null {
  const candidates = name.includes("/")
    ? [resolve(root, name)]
    : (searchPath ?? "").split(delimiter).flatMap((folder) => (isAbsolute(folder) ? [join(folder, name)] : []));
  const path = candidates.find(isExecutable);
  return path === undefined ? null : { path, folders: foldersOf(path, searchPath) };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Its own folder, its package with dependencies, and the folders of its interpreter. */
function foldersOf(path: string, searchPath: string | undefined): string[] {
  const real = realpathSync(path);
  const interpreter = interpreterOf(real);
  const found = interpreter === null ? null : findProgram(interpreter, searchPath, "/");
  const folders = [dirname(path), packageFolder(real), ...(found?.folders ?? [])];
  return [...new Set(folders)].filter((folder) => !SYSTEM.some((root) => folder === root || folder.startsWith(`${root}/`)));
}

/** Packages find their dependencies in the node_modules above them. */
function packageFolder(real: string): string {
  const parts = real.split(sep);
  const at = parts.indexOf("node_modules");
  return at < 0 ? dirname(real) : parts.slice(0, at + 1).join(sep);
}

const FIRST_BYTES = 256;

function interpreterOf(real: string): string | null {
  const head = readFileSync(real).subarray(0, FIRST_BYTES).toString("utf8");
  const [, program = null] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(head) ?? [];
  return program;
}
