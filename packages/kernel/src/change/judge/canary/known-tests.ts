import { readObjects } from "../../../host/git/fast-path/git-queries.ts";
import { listFiles } from "../../views/context.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { frameworkOf, frameworksFor, isNamedLikeTest } from "./frameworks.ts";
import { mayBeRun, nearnessTo, type KnownTest } from "./neighbours.ts";
import { importsOf } from "./reach.ts";

/** Files that are read to find tests near a change. */
const MOST_TESTS = 80;
const MOST_IMPORTS = 300;
const LARGEST_BYTES = 256 * 1024;

/** The tests of a tree that are near these changed files, and which of these they load. */
export async function knownTests(dependencies: FeatureDependencies, tree: string, changed: readonly string[]): Promise<KnownTest[]> {
  const files = (await listFiles(dependencies, tree)).filter(({ bytes }) => bytes <= LARGEST_BYTES);
  const paths = files.map(({ path }) => path);
  const oids = new Map(files.map(({ path, oid }) => [path, oid]));
  const has = (path: string) => oids.has(path);
  const isChanged = new Set(changed);

  const near = nearnessTo(changed);
  const candidates = paths
    .filter((path) => frameworksFor(path) !== null && mayBeRun(path))
    .map((path) => ({ path, near: near(path) + (isNamedLikeTest(path) ? 50 : 0) }))
    .toSorted((left, right) => right.near - left.near)
    .slice(0, MOST_TESTS)
    .map(({ path }) => path);
  const texts = await textsOf(dependencies, candidates, oids);
  const tests = [...texts].flatMap(([path, text]) => {
    const framework = frameworkOf(path, text);
    return framework === null ? [] : [{ path, text, framework, imports: importsOf(path, text, has, paths) }];
  });

  const further = new Set(tests.flatMap(({ imports }) => imports).filter((path) => !isChanged.has(path)));
  const nextTexts = await textsOf(dependencies, [...further].slice(0, MOST_IMPORTS), oids);
  const next = new Map([...nextTexts].map(([path, text]) => [path, importsOf(path, text, has, paths)]));
  return tests.map(({ path, text, framework, imports }) => ({
    path,
    text,
    framework,
    direct: imports.filter((one) => isChanged.has(one)),
    indirect: imports.flatMap((one) => next.get(one) ?? []).filter((one) => isChanged.has(one)),
  }));
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
