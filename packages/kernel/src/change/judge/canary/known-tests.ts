import { readObjects } from "../../../host/git/fast-path/git-queries.ts";
import { listFiles } from "../../views/context.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { frameworkOf, frameworksFor, isNamedLikeTest } from "./frameworks.ts";
import { mayBeRun, nearnessTo, type KnownTest } from "./neighbours.ts";
import { importsOf } from "./reach.ts";

/** Files that are read to find tests near a change. */
const MOST_TESTS = 80;
const MOST_IMPORTS = 300;
const MOST_HOPS = 8;
const LARGEST_BYTES = 256 * 1024;

/** The tests of a tree that are near these changed files, and which of these they load. */
export async function knownTests(dependencies: FeatureDependencies, tree: string, changed: readonly string[]): Promise<KnownTest[]> {
  const files = (await listFiles(dependencies, tree)).filter(({ bytes }) => bytes <= LARGEST_BYTES);
  const paths = files.map(({ path }) => path);
  const oids = new Map(files.map(({ path, oid }) => [path, oid]));
  const has = (path: string) => oids.has(path);
  const isChanged = new Set(changed);
  const texts = await textsOf(dependencies, candidatesIn(paths, changed), oids);
  const tests = [...texts].flatMap(([path, text]) => {
    const framework = frameworkOf(path, text);
    return framework === null ? [] : [{ path, text, framework, imports: importsOf(path, text, has, paths) }];
  });

  const indirect = await reachedBy(dependencies, tests, isChanged, { oids, paths, has });
  return tests.map(({ path, text, framework, imports }, index) => ({
    path,
    text,
    framework,
    direct: imports.filter((one) => isChanged.has(one)),
    indirect: indirect[index] ?? [],
  }));
}

/** Files that may contain tests near a change, the nearest first. */
function candidatesIn(paths: readonly string[], changed: readonly string[]): string[] {
  const near = nearnessTo(changed);
  return paths
    .filter((path) => frameworksFor(path) !== null && mayBeRun(path))
    .map((path) => ({ path, near: near(path) + (isNamedLikeTest(path) ? 50 : 0) }))
    .toSorted((left, right) => right.near - left.near)
    .slice(0, MOST_TESTS)
    .map(({ path }) => path);
}

const MOST_CHANGED = 100;

/** Every file in which something may be planted. */
export async function plantingPlaces(dependencies: FeatureDependencies, tree: string, changed: readonly string[]): Promise<string[]> {
  const files = (await listFiles(dependencies, tree)).filter(({ bytes }) => bytes <= LARGEST_BYTES).map(({ path }) => path);
  const has = new Set(files);
  return [...new Set([...candidatesIn(files, changed), ...changed.filter((path) => has.has(path)).slice(0, MOST_CHANGED)])];
}

interface Tree {
  readonly oids: ReadonlyMap<string, string>;
  readonly paths: readonly string[];
  readonly has: (path: string) => boolean;
}

/** Changed files that each of these files loads through others. */
async function reachedBy(
  dependencies: FeatureDependencies,
  from: readonly { readonly imports: readonly string[] }[],
  isChanged: ReadonlySet<string>,
  { oids, paths, has }: Tree,
): Promise<string[][]> {
  const known = new Map<string, readonly string[]>();
  let next = new Set(from.flatMap(({ imports }) => imports));
  for (let depth = 0; depth < MOST_HOPS && next.size > 0 && known.size < MOST_IMPORTS; depth++) {
    const texts = await textsOf(dependencies, [...next].slice(0, MOST_IMPORTS - known.size), oids);
    for (const [path, text] of texts) known.set(path, importsOf(path, text, has, paths));
    next = new Set([...texts.keys()].flatMap((path) => known.get(path) ?? []).filter((path) => !known.has(path)));
  }
  return from.map(({ imports }) => {
    const seen = new Set(imports);
    for (const path of seen) for (const one of known.get(path) ?? []) seen.add(one);
    return [...seen].filter((path) => isChanged.has(path) && !imports.includes(path));
  });
}

export async function textsOf(
  { repository }: FeatureDependencies,
  paths: readonly string[],
  oids: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const known = paths.flatMap((path) => {
    const oid = oids.get(path);
    return oid === undefined ? [] : [{ path, oid }];
  });
  const objects = await readObjects(
    repository,
    known.map(({ oid }) => oid),
  );
  return new Map(
    known.flatMap(({ path }, index) => {
      const object = objects[index];
      return object?.type === "blob" && !object.bytes.includes(0) ? [[path, object.bytes.toString("utf8")] as const] : [];
    }),
  );
}
