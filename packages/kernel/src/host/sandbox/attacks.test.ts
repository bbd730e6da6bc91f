import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "./contract.ts";
import { openSandbox } from "./sandbox.ts";
import { hostCommandLines, hostProcessesNamed, runCommand, runNode, runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";
import { untilBegun } from "./testing/until-begun.ts";

const works = sandboxWorksHere();
const MiB = 1024 ** 2;

function listenOn(address: string | number): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("reached"));
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(address, () => resolve(server)));
}

const CONNECT = `
  const net = require("node:net");
  const socket = net.connect(JSON.parse(process.argv[1]));
  socket.on("connect", () => { console.log("CONNECTED"); process.exit(0); });
  socket.on("error", (error) => { console.log(error.code); process.exit(7); });
`;

describe.skipIf(!works)("attacks from inside a gate", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  describe("attack 26: no environment leak", () => {
    it("attack 26: a command sees its own variables and those the sandbox sets, and no others", async () => {
      process.env.SLIPWAY_TEST_CANARY = "host-only";
      onTestFinished(() => void delete process.env.SLIPWAY_TEST_CANARY);
      const { stdout } = await runNode(sandbox, scratchFolder(), "console.log(JSON.stringify(process.env))", { env: { OWN: "1" } });
      const seen = JSON.parse(stdout) as Record<string, string>;
      expect(Object.keys(seen).toSorted()).toEqual(["HOME", "OWN", "PATH", "PWD"]);
      expect(stdout).not.toContain("host-only");
    });

    it("attack 26: process 1, which is bubblewrap, has neither an environment nor arguments worth reading", async () => {
      const script = "cat /proc/1/environ | tr '\\0' '\\n'; echo; echo ARGS; cat /proc/1/cmdline | tr '\\0' ' '";
      const { stdout } = await runShell(sandbox, scratchFolder(), script, { env: { OWN: "value-of-own" } });
      const [environment, args] = stdout.split("ARGS");
      expect(environment?.trim()).toBe("");
      expect(args).not.toContain("value-of-own");
    });

    it("attack 26: the values of variables are not in the process list of the host", async () => {
      const own = `own-command-${randomUUID()}`;
      const started = Promise.withResolvers<void>();
      const enough = new AbortController();
      const running = runCommand(sandbox, scratchFolder(), ["sh", "-c", "echo started; sleep 60; true", own], {
        env: { API_TOKEN: "host-process-list-canary" },
        onOutput: () => started.resolve(),
        signal: enough.signal,
      });
      await Promise.race([started.promise, running]);
      const seen = hostCommandLines().join("\n");
      enough.abort();
      await running;
      expect(seen).toContain(own);
      expect(seen).not.toContain("host-process-list-canary");
    });

    it("attack 26: descriptors that Slipway inherited do not reach a command", async () => {
      for (const kind of ["bubblewrap", "none"]) {
        const seen = await runInherited(kind);
        expect(seen).toContain("/dev/null");
        expect(seen).not.toContain("/etc/hostname");
      }
    });

    it("attack 26: files that only root may read are hidden, also if Slipway is root", async () => {
      const { stdout } = await runShell(sandbox, scratchFolder(), "ls /etc /root /home /var 2>&1; cat /etc/shadow /etc/ssh/* 2>&1");
      expect(stdout).not.toMatch(/^root:[^\n]*:\d+:/m);
      for (const name of ["shadow", "sudoers", "ssh"]) expect(stdout.split("\n")).not.toContain(name);
    });
  });

  describe("attack 27: no host sockets", () => {
    it.each(["tmp", "run", "abstract"])("attack 27: a socket of the host is out of reach (%s)", async (place) => {
      const runtime = process.getuid?.() === 0 ? "/run" : process.env.XDG_RUNTIME_DIR;
      const name = `slipway-attack-${process.pid}`;
      const path =
        { tmp: join(scratchFolder(), "s.sock"), run: join(runtime ?? scratchFolder(), `${name}.sock`), abstract: `\0${name}` }[place] ?? "";
      await listenOn(path);
      const ran = await runCommand(sandbox, scratchFolder(), ["node", "-e", CONNECT, JSON.stringify({ path })]);
      expect(ran.stdout.trim()).toMatch(/^(ENOENT|ECONNREFUSED)$/);
      expect(ran.exitCode).toBe(7);
    });
  });

  describe("attack 28: daemonised children dead", () => {
    it("attack 28: processes that a command leaves running are dead before its outcome is returned", async () => {
      const worktree = scratchFolder();
      const mark = randomUUID();
      const daemon = "echo up > beat; while :; do sleep 0.01; done";
      const ran = await runShell(
        sandbox,
        worktree,
        `setsid sh -c '${daemon}' ${mark} >/dev/null 2>&1 </dev/null & while [ ! -s beat ]; do sleep 0.01; done`,
      );
      expect(ran.exitCode).toBe(0);
      expect(hostProcessesNamed(mark)).toEqual([]);
    });

    it("attack 28: a timeout ends daemons and processes that ignore SIGTERM", async () => {
      const worktree = scratchFolder();
      const mark = randomUUID();
      const stubborn = "trap '' TERM; echo up > beat; while :; do sleep 0.01; done";
      const script = `trap '' TERM; setsid sh -c "${stubborn}" ${mark} >/dev/null 2>&1 </dev/null & while :; do sleep 0.05; done`;
      const began = () => existsSync(join(worktree, "beat"));
      const ran = await untilBegun((timeoutMs) => runShell(sandbox, worktree, script, { timeoutMs, killGraceMs: 100 }), began);
      expect(began()).toBe(true);
      expect(ran).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGKILL" });
      expect(hostProcessesNamed(mark)).toEqual([]);
    });

    it("attack 28: commands die with a killed Slipway", { timeout: 30_000 }, async () => {
      const worktree = scratchFolder();
      const mark = randomUUID();
      const program = `
        const { openSandbox } = await import(${JSON.stringify(join(import.meta.dirname, "sandbox.ts"))});
        const sandbox = await openSandbox();
        await sandbox.run({ worktree: ${JSON.stringify(worktree)}, command: ["sh", "-c", "echo up > beat; while :; do sleep 0.01; done", "${mark}"], timeoutMs: 600000 });
      `;
      const harness = spawn(process.execPath, ["--conditions=slipway-source", "--input-type=module", "-e", program], { stdio: "ignore" });
      while (!existsSync(join(worktree, "beat"))) await sleep(20);
      expect(hostProcessesNamed(mark)).not.toEqual([]);
      harness.kill("SIGKILL");
      while (hostProcessesNamed(mark).length > 0) await sleep(20);
    });
  });

  describe("attack 29: no network unless the gate declares it", () => {
    it("attack 29: the host's loopback is out of reach without a declaration, and in reach with one", async () => {
      const server = await listenOn(0);
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      const command = ["node", "-e", CONNECT, JSON.stringify({ port, host: "127.0.0.1" })];
      expect((await runCommand(sandbox, scratchFolder(), command)).stdout.trim()).toBe("ECONNREFUSED");
      expect((await runCommand(sandbox, scratchFolder(), command, { network: true })).stdout.trim()).toBe("CONNECTED");
    });

    it("attack 29: nothing outside is reachable, and localhost works for tests that need it", async () => {
      const { stdout } = await runNode(
        sandbox,
        scratchFolder(),
        `const net = require("node:net"), os = require("node:os");
         console.log(Object.keys(os.networkInterfaces()).join());
         const server = net.createServer((s) => s.end()).listen(0, "localhost", () => net.connect(server.address().port, "localhost").on("connect", () => { console.log("own"); process.exit(0); }));`,
      );
      expect(stdout).toBe("lo\nown\n");
    });
  });

  it("attack 30: an install script runs sandboxed: no network, no file outside the worktree, no git hook", async () => {
    const worktree = scratchFolder();
    const outside = join(scratchFolder(), "planted");
    writeFileSync(join(worktree, ".git"), "gitdir: /nowhere\n");
    const install = `require("node:fs").writeFileSync("installed", ""); for (const path of [${JSON.stringify(outside)}, ".git/hooks/pre-commit", ".git", require("node:os").homedir() + "/.npmrc"]) try { require("node:fs").writeFileSync(path, "evil") } catch {}`;
    writeFileSync(join(worktree, "install.js"), install);
    writeFileSync(
      join(worktree, "package.json"),
      JSON.stringify({ name: "x", version: "1.0.0", scripts: { postinstall: "node install.js" } }),
    );
    await runShell(sandbox, worktree, "npm install --offline || node install.js");
    expect(existsSync(join(worktree, "installed"))).toBe(true);
    expect(existsSync(outside)).toBe(false);
    expect(readFileSync(join(worktree, ".git"), "utf8")).toBe("gitdir: /nowhere\n");
  });

  describe("attack 31: fork bomb, disk or log flood bounded", () => {
    it("attack 31: a fork bomb is ended, and none of its processes survives", async () => {
      // The bomb itself is bounded to 64 processes per generation, in case the limit does not work.
      const mark = randomUUID();
      const bomb = `: ${mark}; f() { d=$1; if [ $d -lt 7 ]; then f $((d+1)) & f $((d+1)) & fi; sleep 40; }; f 0`;
      const ran = await runShell(sandbox, scratchFolder(), bomb, { limits: { processes: 32 }, timeoutMs: 50_000 });
      // Ended by the watchdog, or by the kernel, which counts the tasks of all sandboxes of a user and may refuse the fork first.
      const ended = { limit: ran.limit, exitCode: ran.exitCode };
      expect([
        { limit: "processes", exitCode: null },
        { limit: null, exitCode: 2 },
      ]).toContainEqual(ended);
      expect(ran.timedOut).toBe(false);
      expect(hostCommandLines().filter((line) => line.includes(mark))).toEqual([]);
    });

    it("attack 31: a flood of output is cut at its limit", async () => {
      let bytes = 0;
      const ran = await runShell(sandbox, scratchFolder(), "yes flood", {
        limits: { outputBytes: 5 * MiB },
        onOutput: (_, chunk) => (bytes += chunk.length),
      });
      expect(ran.limit).toBe("output");
      expect(bytes).toBe(5 * MiB);
    });

    it("attack 31: one endless file is cut by its size limit", async () => {
      const worktree = scratchFolder();
      const ran = await runShell(sandbox, worktree, "exec dd if=/dev/zero of=big bs=1M count=64 2>/dev/null", {
        limits: { fileBytes: 4 * MiB },
      });
      expect(ran.limit).toBe("disk");
      expect(readFileSync(join(worktree, "big")).length).toBeLessThanOrEqual(4 * MiB);
    });

    it("attack 31: many files are cut by the growth of the worktree", async () => {
      const ran = await runShell(
        sandbox,
        scratchFolder(),
        "i=0; while [ $i -lt 400 ]; do i=$((i+1)); head -c 1048576 /dev/urandom > f$i; done; sleep 20",
        { limits: { diskBytes: 30 * MiB } },
      );
      expect(ran.limit).toBe("disk");
    });

    it("attack 31: files that are deleted while open count as well", async () => {
      const script = `
        const fs = require("node:fs"), block = Buffer.alloc(1048576, 1);
        for (let i = 0; i < 8; i++) { const f = fs.openSync("gone" + i, "w"); fs.unlinkSync("gone" + i); for (let n = 0; n < 8; n++) fs.writeSync(f, block); fs.fsyncSync(f); }
        setTimeout(() => {}, 20000);`;
      expect((await runNode(sandbox, scratchFolder(), script, { limits: { diskBytes: 20 * MiB } })).limit).toBe("disk");
    });

    it("attack 31: memory is bounded over all processes together", async () => {
      const script = `for i in 1 2 3; do node -e 'const keep = []; setInterval(() => keep.push(Buffer.alloc(10e6, 1)), 5)' & done; wait`;
      const ran = await runShell(sandbox, scratchFolder(), script, { limits: { memoryBytes: 400 * MiB } });
      expect(ran.limit).toBe("memory");
    });

    it.each(["/tmp", "$HOME", "/dev/shm", "/run"])("attack 31: %s is a tmpfs with a size", async (place) => {
      const ran = await runShell(
        sandbox,
        scratchFolder(),
        `head -c 40000000 /dev/zero > ${place}/fill; echo code $?; rm -f ${place}/fill`,
        {
          limits: { tmpBytes: 8 * MiB },
        },
      );
      expect(ran.stdout).toContain("code 1");
      expect(ran.stderr).toMatch(/No space left/);
    });

    it("attack 31: a tmpfs without a size is read-only", async () => {
      const { stdout } = await runShell(
        sandbox,
        scratchFolder(),
        "for p in / /dev /etc /home /usr /var /proc/sys; do touch $p/x 2>/dev/null && echo wrote $p; done; echo end",
      );
      expect(stdout).toBe("end\n");
    });
  });

  describe("attack 32: shared caches read-only", () => {
    it("attack 32: a shared folder and a toolchain are read-only, and leave no mount point", async () => {
      const [cache, tools, worktree] = [scratchFolder(), scratchFolder(), scratchFolder()];
      writeFileSync(join(cache, "module.js"), "original");
      writeFileSync(join(tools, "tool"), "#!/bin/sh\necho tool ran\n");
      chmodSync(join(tools, "tool"), 0o755);
      const script =
        "cat deep/cache/module.js; tool; for f in deep/cache/module.js deep/cache/new $TOOLS/tool; do echo evil > $f || true; rm -f $f; done";
      const ran = await runShell(sandbox, worktree, script, {
        shared: [{ from: cache, to: "deep/cache" }],
        readOnly: [tools],
        env: { TOOLS: tools, PATH: tools },
      });
      expect(ran.stdout).toContain("original");
      expect(ran.stdout).toContain("tool ran");
      expect(ran.stderr).toMatch(/Read-only file system/);
      expect(readFileSync(join(cache, "module.js"), "utf8")).toBe("original");
      expect(readdirSync(cache)).toEqual(["module.js"]);
      expect(readFileSync(join(tools, "tool"), "utf8")).toContain("tool ran");
      expect(readdirSync(worktree)).toEqual([]);
    });

    it("attack 32: a link in place of a shared folder is refused", async () => {
      const [cache, worktree] = [scratchFolder(), scratchFolder()];
      mkdirSync(join(worktree, "a"));
      symlinkSync("/etc", join(worktree, "a", "node_modules"));
      symlinkSync("/", join(worktree, "b"));
      for (const to of ["a/node_modules", "b/node_modules", "../elsewhere", "."]) {
        await expect(runShell(sandbox, worktree, "true", { shared: [{ from: cache, to }] }), to).rejects.toMatchObject({
          code: "path_out_of_bounds",
        });
      }
    });
  });
});

/** Descriptor 40 stays open when Node starts, because Node closes only the first few. */
async function runInherited(kind: string): Promise<string> {
  const left = openSync("/etc/hostname", "r");
  const stdio = ["ignore", "pipe", "inherit", ...Array.from({ length: 38 }, (_, index) => (index === 37 ? left : "ignore"))] as const;
  const script = join(import.meta.dirname, "testing", "inherited.ts");
  const child = spawn(process.execPath, ["--conditions=slipway-source", script, kind], { stdio: [...stdio] });
  closeSync(left);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return output;
}
