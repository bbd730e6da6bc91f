import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("protocols", {
  // Commands are tested, and their coverage counted, by the whole program in packages/cli.
  elsewhere: [
    "src/surface/!(escape).ts",
    "src/demo/**",
    "src/*/{commands,demo}/**",
    "src/{features,factory}/{view,describe,prepare,entry,implementation}.ts",
    "src/criticality/benchmark/{benchmark,run-case,inject-case,models}.ts",
    // Reached by the acceptance tests of the demo, in a process of their own.
    "src/criticality/{entry,implementation,protocol}.ts",
  ],
});
