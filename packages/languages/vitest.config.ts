import { packageConfig } from "../../vitest.shared.ts";

/** The two processes of a module's or a project's tests: test-run, hostile-modules and project-tests start them. */
const BRIDGE = [
  "conversation",
  "lines",
  "lock-globals",
  "lock-inspector",
  "module-clock",
  "module-process",
  "remote-module",
  "reporter",
  "runner-shim",
  "test-clock",
  "test-process",
  "wire",
];

export default packageConfig("languages", { elsewhere: BRIDGE.map((name) => `src/typescript/bridge/${name}.ts`) });
