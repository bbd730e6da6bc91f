import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("protocols", {
  // Commands are tested, and their coverage counted, by the whole program in packages/cli.
  elsewhere: [
    "src/surface/{answer-value,caller,command,exit-codes,give-answer,io,next-actions,paint,run-options,style,surface,unsandboxed}.ts",
    "src/*/commands/**",
    "src/*/view.ts",
    "src/*/describe.ts",
  ],
});
