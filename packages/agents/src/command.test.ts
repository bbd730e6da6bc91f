import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readProcess } from "@slipway/kernel/host/sandbox/process-table";
import { untilBegun } from "@slipway/kernel/host/sandbox/testing/until-begun";
import { runCommand } from "./command.ts";
import { scratch } from "./testing/samples.ts";

test.each([
  ["ends", 'echo "{}"', "exit"],
  ["takes too long", "sleep 600", "timeout"],
])("no process of a command that %s lives on, also without its session, environment and parent", async (_what, last, kind) => {
  const run = async (timeoutMs: number) => {
    const up = join(scratch("command"), "up");
    const daemon = `env -i setsid sh -c '(env -i setsid sleep 600 & echo $! >&3; : > ${up}) & sleep 600' 3>&1 >/dev/null 2>&1 <&- &`;
    const command = ["sh", "-c", `${daemon} while [ ! -e ${up} ]; do sleep 0.02; done; ${last}`];
    let said = "";
    const limits = { timeoutMs, maxOutputBytes: 1000, signal: new AbortController().signal };
    const onStdout = (text: Uint8Array) => void (said += Buffer.from(text).toString());
    const end = await runCommand({ command, env: { PATH: "/usr/bin:/bin" }, input: "", ...limits, onStdout });
    return { end, pid: Number(/^\d+/.exec(said)?.[0] ?? 0) };
  };
  const { end, pid } = kind === "exit" ? await run(50_000) : await untilBegun(run, (ran) => ran.pid > 1);
  expect(end.kind).toBe(kind);
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
