// `npm run bench:false-done`: agents that falsely claim to be done, and similar honest ones, through a harness. Ends with `caught N` and
// `false alarms N`. `-- --adapter FILE` runs another harness; see docs/false-done.md.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

const { node } = setUp();
const script = join(root, "bench", "false-done", "run.ts");
const result = spawnSync(node, ["--disable-warning=ExperimentalWarning", script, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
});
process.exit(result.status ?? 1);
