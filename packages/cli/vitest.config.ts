import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("cli", {
  also: [
    "../runtime/src/**/*.ts",
    "../protocols/src/surface/!(escape).ts",
    "../protocols/src/demo/**/*.ts",
    "../protocols/src/*/{commands/**/*,demo/**/*,view,describe,prepare,entry,implementation}.ts",
  ],
  // They replace modules.
  isolated: [
    "main",
    "prompt",
    "commands/approve",
    "commands/criticality-resolve",
    "commands/demo",
    "commands/demo-factory",
    "commands/init",
    "commands/stop",
  ].map((name) => `src/${name}.test.ts`),
});
