// `npm run campaign:kill -- --points 2000 --seed 7`: the kill suite with any number of points; prints its seed. `npm run campaign:kill --
// --factory`: one run of the factory's demo, killed at every journal event and every phase of every operation. `-- --criticality`,
// `-- --forge` and `-- --crew`: the same with their demos.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

const { node } = setUp();
const script = join(root, "test", "kill", "campaign.ts");
const args = ["--conditions=slipway-source", script, ...process.argv.slice(2)];
const result = spawnSync(node, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
});
process.exit(result.status ?? 1);
