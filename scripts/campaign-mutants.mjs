// `npm run campaign:mutants -- --lines 20 --seed 7`: breaks sampled lines of the safety-critical rooms, one at a time, in a copy, and lists
// those that no test notices. `-- --rooms approvals,locks` takes some rooms, `-- --protocols --lines 200` samples all protocols, `-- --tagged`
// what tests with a requirement id reach, `--minutes 30` ends in time, `--skip 40` goes on after the first 40 lines of a sample, and
// `--at PATH:LINE` breaks one line in every way.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

const { node } = setUp();
const script = join(root, "test", "campaigns", "mutants.ts");
const args = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", script, ...process.argv.slice(2)];
const result = spawnSync(node, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
});
process.exit(result.status ?? 1);
