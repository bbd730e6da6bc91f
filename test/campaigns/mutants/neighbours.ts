import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const IMPORT = /\b(?:from|import\()\s*"([^"]+)"/g;

/** The test files of a package, those that most likely notice a change of one source first. */
export interface Neighbours {
  of(path: string): { readonly test: string; readonly distance: number }[];
}

/** Reads the imports of a whole copy once. Distance is the number of imports between a test file and the source. */
export function readNeighbours(folder: string): Neighbours {
  const importers = new Map<string, string[]>();
  for (const file of globSync("{packages/*/src,test}/**/*.ts", { cwd: folder, exclude: ["**/node_modules/**", "**/dist/**"] })) {
    for (const imported of importsOf(folder, file)) importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
  return {
    of(path) {
      const distances = new Map([[path, 0]]);
      const queue = [path];
      for (const at of queue) {
        for (const importer of importers.get(at) ?? []) {
          if (distances.has(importer)) continue;
          distances.set(importer, (distances.get(at) ?? 0) + 1);
          queue.push(importer);
        }
      }
      const beside = path.replace(/\.ts$/, ".test.ts");
      return [...distances]
        .filter(([file]) => file.endsWith(".test.ts"))
        .map(([test, distance]) => ({ test, distance: test === beside ? 0 : distance }))
        .toSorted((a, b) => rank(path, a) - rank(path, b) || a.distance - b.distance || apart(path, a.test) - apart(path, b.test));
    },
  };
}

/** A test in the same folder is short more often than one that only imports the source sooner. */
const rank = (path: string, { test, distance }: { readonly test: string; readonly distance: number }) =>
  distance === 0 ? 0 : dirname(test) === dirname(path) ? 1 : 2;

/** Folders between two files. */
const apart = (a: string, b: string) => relative(dirname(a), dirname(b)).split("/").length;

function importsOf(folder: string, file: string): string[] {
  const text = readFileSync(join(folder, file), "utf8").replaceAll(/^import type .*$/gm, "");
  return [...text.matchAll(IMPORT)].flatMap(([, name = ""]) => {
    if (name.startsWith(".")) return [join(dirname(file), name)];
    const [, owner, path] = /^@slipway\/(\w+)\/(.+)$/.exec(name) ?? [];
    return owner === undefined ? [] : [`packages/${owner}/src/${path}.ts`];
  });
}
