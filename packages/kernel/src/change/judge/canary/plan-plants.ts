import { posix } from "node:path";
import { canFailAtLoad, loadPlant } from "./load-plants.ts";
import { frameworksFor } from "./frameworks.ts";
import { pathBeside, pickWords, tokenParts, wordsIn, type Random } from "./names.ts";
import { chooseChanged, chooseLoads, chooseNeighbours, namesAny, titlesOf, type KnownTest } from "./neighbours.ts";
import { coverPlant } from "./cover-plants.ts";
import { joined, type CoverPlant, type LoadPlant, type TestPlant } from "./plant.ts";
import { spoil } from "./spoil-tests.ts";

export interface PlantingTree {
  /** Tests of the tree to merge, or of the base if it has none. */
  readonly tests: readonly KnownTest[];
  /** Changed files that exist in the tree to merge. */
  readonly changed: readonly string[];
  readonly paths: ReadonlySet<string>;
  /** The worktree as the gate sees it. */
  readonly worktree: string;
  /** Names in the report of the passed gate; null without a report. */
  readonly reported: Iterable<string> | null;
}

/** Tests of the project that are changed so that they must fail. */
export function planChangedTests({ tests, changed, paths, reported }: PlantingTree, random: Random): TestPlant[] {
  const names = [...(reported ?? [])];
  const isNamed = (title: string) => namesAny(names, new Set([title]));
  const here = tests.filter(({ path }) => paths.has(path));
  return chooseChanged(here, changed, reported === null ? null : names).flatMap(({ path, text, framework }): TestPlant[] => {
    const titles = titlesOf(path, text) ?? new Set();
    const areNamed = [...titles].some(isNamed);
    const spoiled = spoil(path, text, (title) => !areNamed || isNamed(title), wordsIn([...titles]), random);
    return (spoiled?.tests ?? []).map(({ title, token }) => ({
      kind: "test",
      path,
      text: spoiled?.text ?? text,
      near: path,
      framework,
      title,
      token,
      reported: areNamed,
      trace: null,
    }));
  });
}

const MOST_COVERS = 3;

/** Functions that nothing calls, in changed sources. Only for gates whose coverage report names lines. */
export function planCovers({ tests, changed }: Pick<PlantingTree, "tests" | "changed">, textOf: TextOf, random: Random): CoverPlant[] {
  const isTest = new Set(tests.map(({ path }) => path));
  return changed
    .flatMap((path) => {
      const text = isTest.has(path) ? undefined : textOf(path);
      return (text === undefined ? null : coverPlant(path, text, random)) ?? [];
    })
    .slice(0, MOST_COVERS);
}

type TextOf = (path: string) => string | undefined;

/** Frameworks that run each test file by itself, so that code of another test file is loaded only if the planted one loads it. */
const APART: ReadonlySet<string> = new Set(["node:test", "vitest", "jest"]);

export function planTests({ tests, changed, paths, worktree, reported }: PlantingTree, random: Random): TestPlant[] {
  const taken = new Set(paths);
  return chooseNeighbours(tests, changed, reported).flatMap((neighbour): TestPlant[] => {
    const { path: near, text: nearText, framework } = neighbour;
    const frameworks = frameworksFor(near);
    if (frameworks === null) return [];
    const beside = [...paths]
      .filter((path) => posix.dirname(path) === posix.dirname(near))
      .map((path) => posix.basename(path, posix.extname(path)));
    const known = wordsIn([...beside, ...(titlesOf(near, nearText) ?? [])]);
    const place = placeFor(near, frameworks.isInside?.(near) === true, known, taken, random);
    taken.add(place);
    const words = pickWords(known, 3, random);
    const token = tokenParts(random);
    const tracePath = `${place.slice(0, place.length - posix.extname(place).length)}.log`;
    const { title, text, hasTrace } = frameworks.write({
      path: place,
      near,
      nearText: paths.has(near) ? nearText : withoutOwnImports(nearText),
      words: nearText.includes(words.join(" ")) ? [...words, "again"] : words,
      token,
      trace: posix.join(worktree, tracePath),
      loads: changed.includes(near) && APART.has(framework) ? [specifierOf(near, nearText)] : [],
    });
    return [
      {
        kind: "test",
        path: place,
        text,
        near,
        framework,
        title,
        token: joined(token),
        reported: false,
        trace: hasTrace ? tracePath : null,
      },
    ];
  });
}

export function planLoads({ tests, changed }: Pick<PlantingTree, "tests" | "changed">, textOf: TextOf, random: Random): LoadPlant[] {
  return loadsIn(chooseLoads(tests, changed, canFailAtLoad), textOf, random);
}

export function loadsIn(paths: readonly string[], textOf: TextOf, random: Random): LoadPlant[] {
  return paths.flatMap((path) => {
    const text = textOf(path);
    const plant = text === undefined ? null : loadPlant(path, text, tokenParts(random));
    return plant === null ? [] : [plant];
  });
}

function placeFor(near: string, isInside: boolean, known: readonly string[], taken: ReadonlySet<string>, random: Random): string {
  if (isInside) return near;
  for (let count = 2; ; count++) {
    const path = pathBeside(near, pickWords(known, Math.min(count, 6), random));
    if (!taken.has(path)) return path;
  }
}

/** The test itself, as its imports name files beside it. */
function specifierOf(near: string, text: string): string {
  const name = `./${posix.basename(near)}`;
  const relative = [...text.matchAll(/["'](\.{1,2}\/[^"'\n]+)["']/g)].map(([, specifier = ""]) => specifier);
  if (/\.[cm]?tsx?$/.test(name) && relative.some((one) => /\.[cm]?js$/.test(one))) return name.replace(/\.([cm]?)tsx?$/, ".$1js");
  if (relative.length > 0 && relative.every((one) => !/\.\w+$/.test(one))) return name.replace(/\.\w+$/, "");
  return name;
}

/** A test of the base that the change deleted: what it loaded may be gone, too. */
function withoutOwnImports(text: string): string {
  return text.replaceAll(/^.*["']\.{1,2}\/[^"'\n]*["'].*$/gm, "").replaceAll(/^from[ \t]+\.[^\n]*$/gm, "");
}
