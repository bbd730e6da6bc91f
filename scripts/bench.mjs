// `npm run bench`: ratios measured in one run, each with its limit. `--write` updates docs/benchmarks.md.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

const { node } = setUp();
const script = join(root, "test", "bench", "main.ts");
const args = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", script, ...process.argv.slice(2)];
const result = spawnSync(node, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
});
if (process.argv.includes("--write"))
  spawnSync(join(root, "node_modules", ".bin", "prettier"), ["--write", "--log-level", "warn", "docs/benchmarks.md"], {
    cwd: root,
    stdio: "inherit",
  });
process.exit(result.status ?? 1);
