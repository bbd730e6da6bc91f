// `npm run campaign:model -- --runs 20000 --seed 7`: random histories of a project's tasks against its rules, through the database.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { root, setUp } from "./setup.mjs";

const { values } = parseArgs({ options: { runs: { type: "string", default: "10000" }, seed: { type: "string" } } });
const seed = values.seed ?? String(Date.now() % 2 ** 31);
console.log(`${values.runs} histories, seed ${seed}`);
const { node } = setUp();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const args = [vitest, "run", "src/factory/project/model.test.ts", "--coverage.enabled=false", "--maxWorkers=1"];
const result = spawnSync(node, args, {
  cwd: join(root, "packages", "protocols"),
  stdio: "inherit",
  env: {
    ...process.env,
    PATH: `${dirname(node)}:${process.env.PATH}`,
    SLIPWAY_MODEL_RUNS: values.runs,
    SLIPWAY_MODEL_SEED: seed,
  },
});
process.exit(result.status ?? 1);
