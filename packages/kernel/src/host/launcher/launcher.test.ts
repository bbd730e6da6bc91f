import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readProcess } from "../sandbox/process-table.ts";
import type { Child } from "./child.ts";
import { openConnections } from "./connections.ts";
import { openLauncher, type Launcher } from "./launcher.ts";
import type { Descriptor, StartRequest } from "./protocol.ts";
import { spawnHere } from "./spawn.ts";
import { startChild, type Started } from "./start.ts";
import { SYSCALLS, machineOf } from "./syscalls.ts";
import { scratchFolder } from "../sandbox/testing/scratch.ts";

const shell = (script: string, stdio: readonly Descriptor[] = ["ignore", "pipe", "pipe"]): StartRequest => ({
  file: "/bin/sh",
  args: ["-c", script],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin", WORD: "hello" },
  stdio,
});

function childOf(started: Started): Child {
  if ("error" in started) throw new Error(started.error.message);
  return started.child;
}

async function outcome(child: Child): Promise<{ stdout: string; stderr: string; code: number | null; signal: string | null }> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { stdout, stderr, code, signal };
}

let launcher: Launcher;
beforeAll(async () => {
  const opened = await openLauncher(() => undefined);
  if (opened === null) throw new Error("no launcher");
  launcher = opened;
});
afterAll(() => void process.kill(launcher.pid, "SIGKILL"));

describe.each([
  ["a child of this process", (request: StartRequest): Promise<Started> => spawnHere(request)],
  ["a child of the launcher", (request: StartRequest): Promise<Started> => launcher.start(request)],
])("%s", (_name, start) => {
  const run = async (script: string, stdio?: readonly Descriptor[]) => outcome(childOf(await start(shell(script, stdio))));

  test("has its output, exit code, environment and working folder", async () => {
    expect(await run("echo $WORD; pwd; echo bad >&2; exit 3")).toEqual({ stdout: "hello\n/\n", stderr: "bad\n", code: 3, signal: null });
    expect(await run("kill -9 $$")).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test("reads its input, also a large one, and answers while it reads", async () => {
    const child = childOf(await start(shell("cat", ["pipe", "pipe", "ignore"])));
    const sent = Buffer.alloc(3_000_000, "x");
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stdin?.end(sent);
    expect(await once(child, "close")).toEqual([0, null]);
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  });

  test("gets texts and files on its descriptors, each from the beginning, every time", async () => {
    const stdio: Descriptor[] = ["ignore", "pipe", "pipe", { text: "from memory " }, { from: "/no/such/file" }, { feed: "fed" }];
    for (let round = 0; round < 2; round++) {
      expect(await run("cat <&3; cat <&4; cat <&5", stdio)).toMatchObject({ stdout: "from memory fed", stderr: "", code: 0 });
    }
  });

  test("is fed more than a pipe holds", async () => {
    const stdio: Descriptor[] = ["ignore", "pipe", "pipe", { feed: "x".repeat(300_000) }];
    expect(await run("wc -c <&3", stdio)).toMatchObject({ stdout: "300000\n", code: 0 });
  });

  test("that cannot be started is returned as an error", async () => {
    expect(await start({ ...shell(""), file: "/no/such/program" })).toMatchObject({ error: { code: "ENOENT", transient: false } });
    expect(await start({ ...shell(""), args: ["x".repeat(3_000_000)] })).toMatchObject({ error: { code: "E2BIG" } });
    expect(await start({ ...shell(""), cwd: "/no/such\nfolder" })).toMatchObject({ error: { code: "ENOENT", transient: false } });
  });

  test("leads its own process group, which a signal ends completely", async () => {
    const child = childOf(await start(shell("sleep 60 & echo $!; wait", ["ignore", "pipe", "pipe"])));
    const [inner] = (await once(child.stdout ?? child, "data")) as [Buffer];
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await once(child, "close");
    await expect.poll(() => readProcess(Number(inner.toString()))?.dead ?? true).toBe(true);
    expect(child).toMatchObject({ exitCode: null, signalCode: "SIGKILL" });
  });

  test("whose output is not read still ends, and so does one without streams", async () => {
    const child = childOf(await start(shell("head -c 5000 /dev/zero; echo bad >&2")));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(await run("true", ["ignore", "ignore", "ignore"])).toMatchObject({ code: 0 });
  });

  test("can run with many others at the same time", async () => {
    const many = await Promise.all(Array.from({ length: 30 }, (_, index) => run(`echo ${index}; exit ${index}`)));
    expect(many).toEqual(many.map((_, index) => ({ stdout: `${index}\n`, stderr: "", code: index, signal: null })));
  });
});

describe("limits", () => {
  const limited = (files: number): StartRequest => ({ ...shell("ulimit -n"), limits: ["/usr/bin/prlimit", `--nofile=${files}`] });

  test("are inherited from the launcher", async () => {
    const strict = await openLauncher(() => undefined, { limits: limited(111).limits ?? [] });
    if (strict === null) throw new Error("no launcher");
    const { stdout } = await outcome(childOf(await strict.start(shell("ulimit -n; tr '\\0' ' ' < /proc/$PPID/cmdline"))));
    expect(stdout).toMatch(/^111\n/);
    // There is no process between the launcher and its child.
    expect(stdout).toContain("slipway-launcher");
    process.kill(strict.pid, "SIGKILL");
  });

  test("of three kinds apply with and without a launcher", async () => {
    for (let round = 0; round < 12; round++) {
      for (const files of [111, 222, 333])
        expect(await outcome(childOf(await startChild(limited(files))))).toMatchObject({ stdout: `${files}\n` });
      const { stdout } = await outcome(childOf(await startChild(shell("ulimit -n"))));
      expect(["111", "222", "333"]).not.toContain(stdout.trim());
    }
  });
});

describe("preparing", () => {
  const machine = machineOf(process.arch);

  test.skipIf(machine === null)("B4: a process gets its own session keyring, and finds no key of the outer one", async () => {
    if (machine === null) return;
    const find = `my @key = ("user", "slipway-test"); print syscall(${SYSCALLS.keyctl[machine]}, 10, -3, @key, 0) < 0 ? "none" : "found";`;
    const owner = `
      import { openLauncher } from ${JSON.stringify(join(import.meta.dirname, "launcher.ts"))};
      const launcher = await openLauncher(() => undefined);
      const request = { file: "/usr/bin/perl", args: ["-e", ${JSON.stringify(find)}], cwd: "/", env: {}, stdio: ["ignore", "pipe", "ignore"] };
      for (const prepare of [[], [["keyring"]]]) {
        const { child } = await launcher.start({ ...request, prepare });
        for await (const chunk of child.stdout) console.log(String(chunk));
      }`;
    const joinAndAdd = `my @key = ("user", "slipway-test", "x"); syscall(${SYSCALLS.keyctl[machine]}, 1, 0); syscall(${SYSCALLS.add_key[machine]}, @key, 1, -3); exec(@ARGV);`;
    const args = ["-e", joinAndAdd, process.execPath, "--input-type=module-typescript", "--eval", owner];
    const { stdout } = await promisify(execFile)("/usr/bin/perl", args, { timeout: 20_000 });
    expect(stdout).toBe("found\nnone\n");
  });

  test("a process that cannot be prepared is not started", async () => {
    const folder = scratchFolder();
    const prepare = [["layer", folder, join(folder, "no-upper"), join(folder, "no-work")]] as const;
    const request = { ...shell("echo ran"), prepare };
    expect(await launcher.start(request)).toMatchObject({ error: { code: "ENOENT", message: expect.stringContaining("no-upper") } });
    // Only the launcher can prepare a process.
    expect(await spawnHere(request)).toMatchObject({ error: { code: "ENOTSUP" } });
  });
});

test("a connection without the secret is refused", async () => {
  const introduction = { address: `\0slipway-test-${process.pid}`, secret: "right", bound: false };
  let seen = 0;
  const connections = await openConnections(introduction, () => void seen++);
  const wrong = connect(introduction.address);
  wrong.write("wrong 1\n");
  await once(wrong.resume(), "close");
  expect(connections.take(1)).toBeNull();
  const right = connect(introduction.address);
  right.write("right 1\n");
  await expect.poll(() => seen).toBe(1);
  expect(connections.take(2)).toBeNull();
  expect(connections.take(1)?.map(([number]) => number)).toEqual([1]);
  right.destroy();
  connections.close();
  await expect(openConnections({ ...introduction, address: "/no/such/folder/x" }, () => undefined)).rejects.toThrow("listen");
});

test("when the launcher dies, its children count as killed and pending requests as not started", async () => {
  let gone = 0;
  const mortal = await openLauncher(() => void gone++);
  if (mortal === null) throw new Error("no launcher");
  const running = childOf(await mortal.start(shell("exec sleep 60", ["ignore", "ignore", "ignore"])));
  process.kill(mortal.pid, "SIGSTOP");
  // Without streams the request is sent at once.
  const asked = mortal.start(shell("true", ["ignore", "ignore", "ignore"]));
  const ended = once(running, "exit");
  process.kill(mortal.pid, "SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(await asked).toMatchObject({ error: { code: "EAGAIN", transient: true } });
  expect(gone).toBe(1);
  process.kill(running.pid ?? 0, "SIGKILL");
});

test("a launcher that never works is not tried again, and its requests are started here", async () => {
  const worked: boolean[] = [];
  const broken = await openLauncher((ever) => void worked.push(ever), { script: "exit 1" });
  if (broken === null) throw new Error("no launcher");
  expect(await outcome(childOf(await broken.start(shell("echo here"))))).toMatchObject({ stdout: "here\n", code: 0 });
  expect(worked).toEqual([false]);
});

describe("a process with a launcher", () => {
  const script = (work: string) => `
    import { openLauncher } from ${JSON.stringify(join(import.meta.dirname, "launcher.ts"))};
    const launcher = await openLauncher(() => undefined);
    const request = { file: "/bin/sh", cwd: "/", env: {}, stdio: ["ignore", "pipe", "ignore"] };
    const { child } = await launcher.start({ ...request, args: ["-c", "sleep 0.3; echo done"] });
    ${work}`;
  const run = (work: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module-typescript", "--eval", script(work)], { timeout: 20_000 });

  test("waits for the child but not for the launcher, which ends with the process", async () => {
    const { stdout } = await run('child.stdout.on("data", (text) => process.stdout.write(`${launcher.pid} ${text}`));');
    expect(stdout).toMatch(/^\d+ done\n/);
    await expect.poll(() => existsSync(`/proc/${Number.parseInt(stdout, 10)}`), { timeout: 10_000 }).toBe(false);
  });

  test("does not wait for an unref'd child until it is ref'd again", async () => {
    const letGo = "child.unref(); child.unref(); child.stdout.unref();";
    const heard = 'child.stdout.on("data", () => process.stdout.write("heard"));';
    expect((await run(`${heard} ${letGo}`)).stdout).toBe("");
    expect((await run(`${heard} ${letGo} child.ref(); child.ref();`)).stdout).toBe("heard");
  });
});
