import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "./command.ts";
import { readProcess } from "@slipway/kernel/host/sandbox/process-table";

test.each([
  ["ends", 'echo "{}"', 20_000],
  ["takes too long", "sleep 600", 1_000],
])("no process of a command that %s lives on, also without its session, environment and parent", async (_what, last, timeoutMs) => {
  const daemon = `env -i setsid sh -c '(env -i setsid sleep 600 & echo $! >&3) & sleep 600' 3>&1 >/dev/null 2>&1 <&- & sleep 0.5; ${last}`;
  let said = "";
  const limits = { timeoutMs, maxOutputBytes: 1000, signal: new AbortController().signal };
  const onStdout = (text: Uint8Array) => void (said += Buffer.from(text).toString());
  const end = await runCommand({ command: ["sh", "-c", daemon], env: { PATH: "/usr/bin:/bin" }, input: "", ...limits, onStdout });
  expect(end.kind).toBe(timeoutMs === 1_000 ? "timeout" : "exit");
  const pid = Number(/^\d+/.exec(said)?.[0]);
  expect(pid).toBeGreaterThan(1);
  expect(readProcess(pid)?.dead ?? true).toBe(true);
});

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
