// `npm run campaign:delete -- --cycles 1000`: creates and deletes that many features and lists what is left of them.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

const { node } = setUp();
const script = join(root, "test", "campaigns", "delete.ts");
const args = ["--conditions=slipway-source", script, ...process.argv.slice(2)];
const result = spawnSync(node, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
});
process.exit(result.status ?? 1);
