import { posix } from "node:path";
import { modulesIn } from "./py-test.ts";

const SPECIFIER = /(?:\bfrom\s*|\b(?:require|import)\s*\(\s*|^\s*import\s*)["'](\.{1,2}\/[^"'\n]{0,300}|\.{1,2})["']/gm;
const EXTENSIONS = ["", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", "/index.ts", "/index.tsx", "/index.js", "/index.mjs"];

/** The files of the tree that a file names in its imports. Good enough to prefer one test to another. */
export function importsOf(path: string, text: string, has: (path: string) => boolean, paths: readonly string[]): string[] {
  if (path.endsWith(".py")) return pyImports(path, text, has, paths);
  if (path.endsWith(".go") || path.endsWith(".java") || path.endsWith(".rs")) {
    const folder = posix.dirname(path).replace("src/test/", "src/main/");
    return paths.filter((other) => posix.dirname(other) === folder && posix.extname(other) === posix.extname(path) && other !== path);
  }
  return [...text.matchAll(SPECIFIER)].flatMap(([, specifier = ""]) => {
    const target = posix.normalize(posix.join(posix.dirname(path), specifier));
    const sources = [target, target.replace(/\.([cm]?)js(x?)$/, ".$1ts$2")];
    const found = sources.flatMap((source) => EXTENSIONS.map((extension) => source + extension)).find(has);
    return found === undefined ? [] : [found];
  });
}

function pyImports(path: string, text: string, has: (path: string) => boolean, paths: readonly string[]): string[] {
  return modulesIn(text).flatMap((module) =>
    [`${module}.py`, `${module}/__init__.py`].flatMap((file) => {
      const beside = posix.normalize(posix.join(posix.dirname(path), file));
      if (has(beside)) return [beside];
      if (has(file)) return [file];
      const other = paths.find((known) => known.endsWith(`/${file}`));
      return other === undefined ? [] : [other];
    }),
  );
}
