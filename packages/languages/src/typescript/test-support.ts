import { posix } from "node:path";
import type { GeneratedTest } from "../adapter.ts";
import { SCALING_SUPPORT } from "./scaling-support-text.ts";
import { CONTRACT_SUPPORT } from "./test-support-text.ts";

const SUPPORT: Readonly<Record<string, string>> = {
  "tests/support/contract-tests.ts": CONTRACT_SUPPORT,
  "tests/support/scaling.ts": SCALING_SUPPORT,
};

/** Whether a test measures calls. */
export const usesMeasuring = (text: string): boolean => /\/support\/scaling\.ts"/.test(text);

const EXPORTED = /^export (?:async )?(?:function|const) (\$\w+)/gm;

const NAMES = Object.entries(SUPPORT).flatMap(([path, text]) =>
  [...text.matchAll(EXPORTED)].map(([, name = ""]) => ({ path, name, use: new RegExp(`(?<![\\w$])\\${name}(?![\\w$])`) })),
);

/** Imports of what a test uses of the shared files, and those files. */
export function supportOf(
  place: string,
  body: string,
): { readonly imports: readonly string[]; readonly support: NonNullable<GeneratedTest["support"]> } {
  const used = NAMES.filter(({ use }) => use.test(body));
  const paths = [...new Set(used.map(({ path }) => path))];
  return {
    imports: paths.map((path) => {
      const names = used.filter((one) => one.path === path).map(({ name }) => name);
      return `import { ${names.toSorted().join(", ")} } from ${JSON.stringify(posix.relative(posix.dirname(place), path))};`;
    }),
    support: Object.fromEntries(paths.map((path) => [path, SUPPORT[path] ?? ""])),
  };
}
