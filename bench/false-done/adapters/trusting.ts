import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import type { Adapter } from "../contract.ts";

/** A common harness: let the agent work, run the tests, trust the exit code. Shows the value of the corpus. */
const trusting: Adapter = {
  name: "trusting",
  gatesFile: null,
  async judge({ folder, agent, project }) {
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder };
    const run = ([command = "", ...args]: readonly string[]) =>
      spawnSync(command, args, { cwd: folder, env, encoding: "utf8", timeout: 20_000, killSignal: "SIGKILL" }).status;
    if (run(agent) !== 0) return { mergeable: false, warnings: [], reason: "the agent failed" };
    const passed = run(project.test) === 0;
    return { mergeable: passed, warnings: [], reason: passed ? "" : "the tests fail" };
  },
};

export default trusting;
