import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("cli", {
  also: [
    "../runtime/src/**/*.ts",
    "../protocols/src/surface/!(escape).ts",
    "../protocols/src/demo/**/*.ts",
    "../protocols/src/{features,factory}/{commands/**/*,demo/**/*,view,describe,prepare,entry,implementation}.ts",
    "../protocols/src/criticality/{commands/**/*,benchmark/{benchmark,run-case,inject-case,models}}.ts",
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
