import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readProcess } from "./process-table.ts";

const MODULE = join(import.meta.dirname, "end-with-us.ts");

/** A process that starts another one, which ignores the end of its input, and tells its pid. `then` runs afterwards. */
async function starter(then: string) {
  const program = `
    import { spawn } from "node:child_process";
    import { endWithUs } from ${JSON.stringify(MODULE)};
    const child = spawn("sleep", ["600"], { stdio: "ignore", detached: true });
    child.unref();
    const stop = endWithUs(child.pid);
    process.stdout.write(child.pid + "\\n");
    ${then}`;
  const process = spawn("node", ["--conditions=slipway-source", "--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(process.stdout, "data")) as [Buffer];
  return { process, pid: Number(line.toString()) };
}

const isRunning = (pid: number) => readProcess(pid)?.dead === false;

async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("a process ends with the one that is killed", async () => {
  const { process, pid } = await starter("setInterval(() => undefined, 1_000);");
  expect(isRunning(pid)).toBe(true);
  process.kill("SIGKILL");
  await untilGone(pid);
});

test("it does not keep its starter running, and ends with it", async () => {
  const { process, pid } = await starter("");
  await once(process, "exit");
  await untilGone(pid);
});

test("it is left alone once nobody watches it", async () => {
  const { process: ended, pid } = await starter("stop(); setTimeout(() => process.exit(), 100);");
  await once(ended, "exit");
  expect(isRunning(pid)).toBe(true);
  process.kill(pid, "SIGKILL");
});
