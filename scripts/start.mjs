// `npm start`: set-up, then the demo. Arguments after `--` go to `slipway demo`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

const { node, missing } = setUp();
for (const line of missing) process.stderr.write(`${line}\n`);
const result = spawnSync(node, [join(root, "packages", "cli", "bin", "slipway.mjs"), "demo", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(result.status ?? 1);
