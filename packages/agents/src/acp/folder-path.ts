import { isAbsolute, relative, resolve, sep } from "node:path";

/** A path relative to the pack; null if it leads outside. Links are checked by the file tree and the sandbox. */
export function packPath(folder: string, named: string): string | null {
  const path = relative(folder, resolve(folder, named));
  const outside = path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) || named.includes("\0");
  return outside ? null : path;
}
