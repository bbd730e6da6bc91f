import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { findOnPath } from "../sandbox/host.ts";
import { readProcess } from "../sandbox/process-table.ts";

let said: number[] = [];
afterEach(() => {
  for (const pid of said.filter(lives)) process.kill(pid, "SIGKILL");
  said = [];
});

function lives(pid: number): boolean {
  return readProcess(pid)?.dead === false;
}

/** Runs the code in a process and kills it; returns the numbers that it wrote. */
async function killedAfter(work: string): Promise<number[]> {
  const script = `
    import { startChild } from ${JSON.stringify(join(import.meta.dirname, "start.ts"))};
    const request = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, stdio: ["ignore", "pipe", "pipe", "pipe"] };
    ${work}
    process.kill(process.pid, "SIGKILL");`;
  const owner = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  owner.stdout.on("data", (text: Buffer) => (output += text.toString()));
  expect(await once(owner, "close")).toEqual([null, "SIGKILL"]);
  said = output.split(/\s+/).filter(Boolean).map(Number);
  return said;
}

describe("when a process is killed", () => {
  const FAMILY = "echo $$; sh -c 'echo $$; exec sleep 600' & setsid sh -c 'sleep 600 & echo $!; kill -9 $$' & wait";
  const startFamily = (bound: boolean) => `
    const { child } = await startChild({ ...request, file: "/bin/sh", args: ["-c", ${JSON.stringify(FAMILY)}], bound: ${bound} });
    let text = "";
    for await (const chunk of child.stdout) if ((text += chunk).split("\\n").length === 4) break;
    await new Promise((written) => process.stdout.write(text, written));`;

  test("its bound children end, also those that left the session and lost their parent", async () => {
    const pids = await killedAfter(startFamily(true));
    expect(pids).toHaveLength(3);
    await expect.poll(() => pids.filter(lives), { timeout: 20_000 }).toEqual([]);
  });

  test("its unbound children continue", async () => {
    const pids = await killedAfter(startFamily(false));
    expect(pids).toHaveLength(3);
    expect(pids.filter(lives)).toEqual(pids);
  });
});

// bubblewrap sets --die-with-parent for its first process last of all, and may itself die of SIGPIPE.
const bwrap = findOnPath("bwrap", "/usr/bin:/usr/local/bin:/bin");
test.skipIf(bwrap === null)("no process is left of a sandbox whose owner was killed during the set-up", async () => {
  const mark = `600.${process.pid}`;
  const args = [..."--die-with-parent --new-session --unshare-all --ro-bind / / --json-status-fd 3 sleep".split(" "), mark];
  for (let round = 0; round < 30; round++)
    await killedAfter(`
      await startChild({ ...request, file: "/bin/true", args: [], bound: true });
      void startChild({ ...request, file: ${JSON.stringify(bwrap)}, args: ${JSON.stringify(args)}, bound: true });
      await new Promise(setImmediate);
      for (const until = performance.now() + ${round / 5}; performance.now() < until; );`);
  const left = () =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => commandOf(pid).endsWith(`\0${mark}\0`) && lives(pid));
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
