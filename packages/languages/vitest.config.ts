import { packageConfig } from "../../vitest.shared.ts";

/** The two processes of a module's tests: test-run.test.ts and hostile-modules.test.ts start them. */
const BRIDGE = ["conversation", "lines", "module-process", "remote-module", "reporter", "test-process", "wire"];

export default packageConfig("languages", { elsewhere: BRIDGE.map((name) => `src/typescript/bridge/${name}.ts`) });
