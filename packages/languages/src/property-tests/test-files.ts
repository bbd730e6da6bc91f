import type { GeneratedTest, SourceTree } from "../adapter.ts";

/** Every file that the tests need beside the source tree. */
export function testFiles(tests: readonly GeneratedTest[]): SourceTree {
  return Object.assign({}, ...tests.map(({ path, text, support = {} }) => ({ ...support, [path]: text }))) as SourceTree;
}
