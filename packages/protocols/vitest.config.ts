import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("protocols", {
  // Commands are tested, and their coverage counted, by the whole program in packages/cli.
  elsewhere: [
    "src/surface/!(escape).ts",
    "src/demo/**",
    "src/*/{commands,demo}/**",
    "src/*/{view,describe,prepare,entry,implementation}.ts",
  ],
});
