import { packageConfig } from "../../vitest.shared.ts";

export default packageConfig("runtime", {
  // Tested, and their coverage counted, by the whole program in packages/cli.
  elsewhere: [
    "src/{agents,choose,choose-run,keep-leases,kernel-at,notifications,protocol-models,reader,role-assignment,run-view,session,supervise,tell-repairs}.ts",
  ],
});
