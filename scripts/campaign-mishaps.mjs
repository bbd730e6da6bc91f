// `npm run campaign:mishaps -- --runs 20000 --seed 7`: random sequences of kills, moved bases, edits by hand and removed worktrees; prints its seeds.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

const { node } = setUp();
const script = join(root, "test", "kill", "mishaps.ts");
const args = ["--conditions=slipway-source", script, ...process.argv.slice(2)];
const result = spawnSync(node, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
});
process.exit(result.status ?? 1);
