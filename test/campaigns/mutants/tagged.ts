import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Neighbours } from "./neighbours.ts";
import { isSource, type Room } from "./rooms.ts";

/** `[FEA-082]` in a title, or a title that is filled from a table of such ids. */
const ID_IN_TITLE = /["'`][^"'`\n]*\[[A-Z]{3}-\d{3}\]|["'`]\[%s\]/;

/** Imports between a test and a source: a test reaches most of what it is about itself or through one other file. From three on it is nearly everything. */
const MOST_IMPORTS = 2;

/** Sources that test files of their own package reach whose titles carry a requirement id: a room for each folder, named by package and first folder. */
export function taggedRooms(folder: string, neighbours: Neighbours): Room[] {
  const tagged = new Set(
    globSync("packages/*/src/**/*.test.ts", { cwd: folder }).filter((test) => ID_IN_TITLE.test(readFileSync(join(folder, test), "utf8"))),
  );
  const reached = globSync("packages/*/src/**/*.ts", { cwd: folder })
    .filter(isSource)
    .toSorted()
    .map((path) => ({ path, owner: ownerOf(path), tests: testsOf(path) }))
    .filter(({ tests }) => tests.length > 0);

  function testsOf(path: string): string[] {
    const isNear = ({ test, distance }: { readonly test: string; readonly distance: number }) =>
      tagged.has(test) && distance <= MOST_IMPORTS && ownerOf(test) === ownerOf(path);
    return neighbours
      .of(path)
      .filter(isNear)
      .map(({ test }) => test);
  }

  return [...Map.groupBy(reached, ({ path }) => dirname(path))].map(([at, sources]) => ({
    name: at.replace(/^packages\/(\w+)\/src(\/\w[\w-]*)?.*$/, "$1$2"),
    package: ownerOf(at),
    sources: sources.map(({ path }) => path),
    tests: [...new Set(sources.flatMap(({ tests }) => tests))],
  }));
}

const ownerOf = (path: string) => path.split("/")[1] ?? "";
