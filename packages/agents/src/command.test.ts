import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readProcess } from "@slipway/kernel/host/sandbox/process-table";

test("an agent's command dies with a killed Slipway, because its answer would be lost and still cost", async () => {
  const script = `
    import { runCommand } from ${JSON.stringify(join(import.meta.dirname, "command.ts"))};
    const command = ["sh", "-c", "setsid sleep 600 & echo $$ $!; wait"];
    const limits = { timeoutMs: 600_000, maxOutputBytes: 1000, signal: new AbortController().signal };
    await runCommand({ command, env: { PATH: "/usr/bin:/bin" }, input: "", ...limits, onStdout: (text) => process.stdout.write(text) });`;
  const args = ["--conditions=slipway-source", "--input-type=module-typescript", "--eval", script];
  const owner = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(owner.stdout, "data")) as [Buffer];
  const pids = said.toString().trim().split(" ").map(Number);
  const alive = () => pids.filter((pid) => readProcess(pid)?.dead === false);
  expect(alive()).toHaveLength(2);
  owner.kill("SIGKILL");
  await expect.poll(alive, { timeout: 20_000 }).toEqual([]);
});
