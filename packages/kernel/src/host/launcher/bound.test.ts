import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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

test("a bound child's temporary folder is removed if this process is killed, and nothing that a link in it names", async () => {
  const [folder, elsewhere] = [mkdtempSync(join(tmpdir(), "slipway-test-")), mkdtempSync(join(tmpdir(), "slipway-test-"))];
  mkdirSync(join(folder, "a/b"), { recursive: true });
  writeFileSync(join(folder, "a/b/sign-in"), "secret");
  writeFileSync(join(elsewhere, "own"), "kept");
  symlinkSync(elsewhere, join(folder, "a/link"));
  try {
    await killedAfter(`
      await startChild({ ...request, file: "/bin/sleep", args: ["600"], bound: true, temporary: ${JSON.stringify(folder)} });`);
    await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false);
    expect(readFileSync(join(elsewhere, "own"), "utf8")).toBe("kept");
  } finally {
    for (const path of [folder, elsewhere]) rmSync(path, { recursive: true, force: true });
  }
});

test("a bound child's temporary folder stays if the child ends first: its owner still reads it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-test-"));
  try {
    await killedAfter(`
      const { child } = await startChild({ ...request, file: "/bin/true", args: [], bound: true, temporary: ${JSON.stringify(folder)} });
      await new Promise((ended) => child.once("exit", ended));
      const { child: after, pid } = await startChild({ ...request, file: "/bin/sleep", args: ["600"], bound: true });
      await new Promise((written) => process.stdout.write(String(pid), written));`);
    await expect.poll(() => said.filter(lives), { timeout: 20_000 }).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
