import { packageConfig } from "../../vitest.shared.ts";

// Most of it is tested, and its coverage counted, by the whole program in packages/cli.
export default packageConfig("runtime", { coverage: false });
