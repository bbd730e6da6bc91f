import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("cli", {
  also: [
    "../runtime/src/**/*.ts",
    "../protocols/src/surface/{answer-value,caller,command,exit-codes,give-answer,io,next-actions,paint,run-options,style,surface,unsandboxed}.ts",
    "../protocols/src/*/{commands/**/*,view,describe}.ts",
  ],
  // They replace modules.
  isolated: ["main", "prompt", "commands/approve", "commands/demo", "commands/demo-factory", "commands/init", "commands/stop"].map(
    (name) => `src/${name}.test.ts`,
  ),
});
