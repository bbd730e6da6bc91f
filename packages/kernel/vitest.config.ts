import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("kernel", {
  // It supposes that no process number has come round again since its worker was started.
  isolated: ["src/host/sandbox/parts.test.ts"],
});
