import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { Sandbox } from "./contract.ts";
import { describeHost } from "./host.ts";
import { probeOnce, probeSandbox } from "./probe.ts";
import { openSandbox } from "./sandbox.ts";
import { tryEscapes } from "./self-test.ts";
import { setupFailure } from "./status.ts";
import { hostCommandLines, runCommand, runNode, runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";
import { untilBegun } from "./testing/until-begun.ts";

const works = sandboxWorksHere();

describe.skipIf(!works)("a sandbox", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  it("reports exit codes, output and where it ran", async () => {
    const worktree = scratchFolder();
    mkdirSync(join(worktree, "sub"));
    const ran = await runShell(sandbox, worktree, "pwd; echo problem >&2; exit 3", { cwd: "sub" });
    expect(ran).toMatchObject({ exitCode: 3, signal: null, timedOut: false, aborted: false, limit: null, stderr: "problem\n" });
    expect(ran.stdout).toBe(`${join(worktree, "sub")}\n`);
    expect(ran.durationMs).toBeGreaterThan(0);
    expect((await runShell(sandbox, worktree, "kill -9 $$")).exitCode).toBe(137);
  });

  it("runs commands as a named non-root user without further privileges", async () => {
    const ran = await runNode(
      sandbox,
      scratchFolder(),
      `const os = require("node:os"), { spawnSync } = require("node:child_process");
       console.log(JSON.stringify({ ...os.userInfo(), sudo: spawnSync("unshare", ["-Ur", "true"]).status }));`,
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({ uid: 1000, gid: 1000, username: "slipway", homedir: "/home/slipway", sudo: 1 });
  });

  it("runs Slipway's Node as `node`", async () => {
    const { stdout } = await runCommand(sandbox, scratchFolder(), ["node", "-p", "process.version + ' ' + process.execPath"]);
    expect(stdout.trim()).toBe(`${process.version} ${process.execPath}`);
  });

  it("files that a command writes in its worktree belong to Slipway's user", async () => {
    const worktree = scratchFolder();
    await runShell(sandbox, worktree, "mkdir a && echo hello > a/b");
    expect(readFileSync(join(worktree, "a", "b"), "utf8")).toBe("hello\n");
    expect(statSync(join(worktree, "a", "b")).uid).toBe(process.getuid?.());
  });

  it("shows a worktree below /var/tmp, and nothing else of that folder", async () => {
    const worktree = mkdtempSync("/var/tmp/slipway-sandbox-");
    onTestFinished(() => rmSync(worktree, { recursive: true }));
    const { stdout } = await runShell(sandbox, worktree, "echo here > a; ls /var/tmp; cat a");
    expect(stdout).toBe(`${basename(worktree)}\nhere\n`);
  });

  describe(".git", () => {
    it.each([
      ["a file", (path: string) => writeFileSync(path, "gitdir: /repo/.git/worktrees/f\n")],
      ["a folder", (path: string) => (mkdirSync(path), writeFileSync(join(path, "config"), "[core]\n"))],
    ])("cannot be read, written, moved or removed if it is %s", async (_, make) => {
      const worktree = scratchFolder();
      const git = join(worktree, ".git");
      make(git);
      const before = spawnSync("find", [git, "-type", "f", "-exec", "cat", "{}", "+"]).stdout.toString();
      const { stdout } = await runShell(
        sandbox,
        worktree,
        "cat .git .git/config 2>/dev/null; echo x > .git; echo x > .git/config; rm -rf .git; mv .git g; ln -sf /tmp .git/x; chmod 777 .git; echo end",
      );
      expect(stdout).toBe("end\n");
      expect(spawnSync("find", [git, "-type", "f", "-exec", "cat", "{}", "+"]).stdout.toString()).toBe(before);
    });

    it("cannot be created if there is none, and leaves nothing behind", async () => {
      const worktree = scratchFolder();
      const { stdout } = await runShell(sandbox, worktree, "mkdir .git; echo x > .git; git init -q . ; rm -f .git; echo kept > file; ls");
      expect(stdout).toBe("file\n");
      expect(readdirSync(worktree)).toEqual(["file"]);
    });

    it("stays hidden for a second command while the first one ends", async () => {
      const worktree = scratchFolder();
      const until = (name: string) => `while [ ! -e ${name} ]; do sleep 0.01; done; rm ${name}`;
      const first = runShell(sandbox, worktree, until("both"));
      const second = runShell(sandbox, worktree, `touch both; ${until("alone")}; mkdir .git; echo x > .git; rm -f .git; mkdir .git; ls -A`);
      expect((await first).exitCode).toBe(0);
      expect(existsSync(join(worktree, ".git"))).toBe(true);
      writeFileSync(join(worktree, "alone"), "");
      expect((await second).stdout).toBe(".git\n");
      expect(readdirSync(worktree)).toEqual([]);
    });

    it("an empty one, left by a killed Slipway, is removed by the next command", async () => {
      const worktree = scratchFolder();
      writeFileSync(join(worktree, ".git"), "");
      await runShell(sandbox, worktree, "true");
      expect(readdirSync(worktree)).toEqual([]);
    });

    it("a link in its place is refused", async () => {
      const worktree = scratchFolder();
      symlinkSync("/tmp", join(worktree, ".git"));
      await expect(runShell(sandbox, worktree, "true")).rejects.toMatchObject({ code: "path_out_of_bounds" });
    });
  });

  describe("stopping", () => {
    it("a timeout sends SIGTERM first, so that a command can clean up", async () => {
      const worktree = scratchFolder();
      const script = "trap 'echo tidied > tidy; exit 0' TERM; echo ready; while :; do sleep 0.02; done";
      const hang = (timeoutMs: number) => runShell(sandbox, worktree, script, { timeoutMs, killGraceMs: 20_000 });
      const ran = await untilBegun(hang, ({ stdout }) => stdout === "ready\n");
      expect(ran).toMatchObject({ timedOut: true, stdout: "ready\n" });
      expect(readFileSync(join(worktree, "tidy"), "utf8")).toBe("tidied\n");
    });

    it("an abort stops it, also one from before the start", async () => {
      const controller = new AbortController();
      const began = Promise.withResolvers<void>();
      const onOutput = () => began.resolve();
      const running = runShell(sandbox, scratchFolder(), "echo began; sleep 60", { signal: controller.signal, onOutput });
      await began.promise;
      controller.abort();
      expect(await running).toMatchObject({ aborted: true, timedOut: false });
      expect(await runShell(sandbox, scratchFolder(), "sleep 20", { signal: AbortSignal.abort(), killGraceMs: 50 })).toMatchObject({
        aborted: true,
      });
    });

    it("stopping at any moment of the start leaves no process behind", async () => {
      const mark = `start-${process.pid}-${Date.now()}`;
      for (const timeoutMs of [1, 2, 3, 4, 5, 6, 8, 10, 12]) {
        const ran = await runShell(sandbox, scratchFolder(), `: ${mark}; while :; do sleep 0.01; done`, { timeoutMs, killGraceMs: 0 });
        expect(ran.timedOut).toBe(true);
      }
      expect(hostCommandLines().filter((line) => line.includes(mark))).toEqual([]);
    });
  });

  describe("a command that cannot start", () => {
    it("a missing program is reported before anything starts", async () => {
      const { spawnError, exitCode } = await runCommand(sandbox, scratchFolder(), ["no-such-program"]);
      expect(exitCode).toBeNull();
      expect(spawnError).toMatchObject({ code: "ENOENT", transient: false });
      expect(spawnError?.message).toContain("no-such-program");
    });

    it("a program of the host that the sandbox hides is reported as such", async () => {
      const hidden = join(scratchFolder(), "tool");
      writeFileSync(hidden, "#!/bin/sh\n");
      chmodSync(hidden, 0o755);
      const { spawnError } = await runCommand(sandbox, scratchFolder(), ["tool"], { env: { PATH: dirname(hidden) } });
      expect(spawnError?.message).toContain(`exists at ${hidden}`);
      const worktree = scratchFolder();
      symlinkSync(hidden, join(worktree, "tool"));
      expect((await runCommand(sandbox, worktree, ["./tool"])).spawnError?.message).toContain("does not show");
    });

    it("a program of the worktree runs by its relative path", async () => {
      const worktree = scratchFolder();
      mkdirSync(join(worktree, "bin"));
      writeFileSync(join(worktree, "bin", "check"), "#!/bin/sh\necho checked\n");
      expect((await runCommand(sandbox, worktree, ["bin/check"])).spawnError?.message).toMatch(/not executable/);
      chmodSync(join(worktree, "bin", "check"), 0o755);
      expect((await runCommand(sandbox, worktree, ["bin/check"])).stdout).toBe("checked\n");
      expect((await runCommand(sandbox, worktree, [join(worktree, "bin", "check")], { cwd: "bin" })).stdout).toBe("checked\n");
    });

    it("a missing bubblewrap is not reported as a missing command", async () => {
      const { host } = await probeSandbox();
      const outcome =
        host &&
        (await runInBubblewrap(
          { worktree: scratchFolder(), command: ["true"], timeoutMs: 1_000 },
          { ...host, bwrap: "/no/such/bwrap" },
          {},
        ));
      expect(outcome?.spawnError).toMatchObject({ code: "SANDBOX_SETUP", message: expect.stringContaining("/no/such/bwrap") });
    });

    it("a failed set-up is distinguished from a failed command", async () => {
      // The sandbox has its own /proc without Slipway's process, so there is nothing to mount on.
      const open = await openSandbox({ hidden: { closed: [], neverWhole: [] } });
      const { spawnError, exitCode } = await runShell(open, scratchFolder(), "true", { readOnly: [`/proc/${process.pid}/status`] });
      expect(exitCode).toBeNull();
      expect(spawnError).toMatchObject({ code: "SANDBOX_SETUP", transient: false });
      expect(spawnError?.message).toContain("bwrap:");
    });

    it.each([
      [{ worktree: "/no/such/worktree" }, "input_path_not_found"],
      [{ worktree: "/" }, "path_out_of_bounds"],
      [{ worktree: "/tmp" }, "path_out_of_bounds"],
      [{ cwd: ".." }, "path_out_of_bounds"],
      [{ cwd: "missing" }, "input_path_not_found"],
      [{ readOnly: ["/no/such/toolchain"] }, "input_path_not_found"],
      [{ readOnly: ["/"] }, "input_path_not_found"],
      [{ shared: [{ from: "/no/such/cache", to: "node_modules" }] }, "input_path_not_found"],
      [{ command: [] }, "schema_validation_failed"],
    ])("%j is refused with %s", async (request, code) => {
      const worktree = scratchFolder();
      await expect(runShell(sandbox, worktree, "true", request)).rejects.toMatchObject({ code });
      expect(readdirSync(worktree)).toEqual([]);
    });
  });

  it("shared files and folders cover existing ones, and are refused over another kind", async () => {
    const [cache, worktree] = [scratchFolder(), scratchFolder()];
    writeFileSync(join(cache, "file"), "from the cache");
    mkdirSync(join(worktree, "folder"));
    writeFileSync(join(worktree, "folder", "own"), "own");
    const shared = [
      { from: cache, to: "folder" },
      { from: join(cache, "file"), to: "new/deep/file" },
    ];
    const ran = await runShell(sandbox, worktree, "ls folder; cat new/deep/file; echo side > new/side", { shared });
    expect(ran.stdout).toBe("file\nfrom the cache");
    expect(readdirSync(join(worktree, "folder"))).toEqual(["own"]);
    // Files that the command wrote beside the mount point stay.
    expect(readdirSync(join(worktree, "new"))).toEqual(["side"]);
    await expect(runShell(sandbox, worktree, "true", { shared: [{ from: join(cache, "file"), to: "folder" }] })).rejects.toMatchObject({
      code: "path_out_of_bounds",
    });
  });

  it("a program in a shared folder is started by its path in the worktree", async () => {
    const cache = scratchFolder();
    mkdirSync(join(cache, "bin"));
    writeFileSync(join(cache, "bin", "tool"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
    const shared = [{ from: cache, to: ".venv" }];
    expect(await runCommand(sandbox, scratchFolder(), [".venv/bin/tool"], { shared })).toMatchObject({ exitCode: 0, stdout: "tool\n" });
    const missing = await runCommand(sandbox, scratchFolder(), [".venv/bin/other"], { shared });
    expect(missing).toMatchObject({ exitCode: null, spawnError: { code: "ENOENT" } });
  });

  it("a toolchain is visible under its given and its real path", async () => {
    const [real, links] = [scratchFolder(), scratchFolder()];
    writeFileSync(join(real, "tool"), "#!/bin/sh\necho tool\n");
    chmodSync(join(real, "tool"), 0o755);
    symlinkSync(real, join(links, "toolchain"));
    for (const path of [real, join(links, "toolchain")]) {
      const ran = await runCommand(sandbox, scratchFolder(), ["tool"], { readOnly: [join(links, "toolchain")], env: { PATH: path } });
      expect(ran.stdout).toBe("tool\n");
    }
  });

  it("a worktree that is removed during a command does not crash Slipway", async () => {
    const worktree = scratchFolder();
    const running = runShell(sandbox, worktree, "touch started; sleep 0.4");
    while (!existsSync(join(worktree, "started"))) await sleep(10);
    rmSync(worktree, { recursive: true, force: true });
    expect((await running).exitCode).toBe(0);
  });

  it("a shared folder stays for a second command while the first one ends", async () => {
    const [cache, worktree] = [scratchFolder(), scratchFolder()];
    writeFileSync(join(cache, "file"), "shared");
    const shared = [
      { from: cache, to: "deep/cache" },
      { from: join(cache, "file"), to: "deep/file" },
    ];
    const first = runShell(sandbox, worktree, "sleep 0.1", { shared });
    const second = runShell(sandbox, worktree, "sleep 0.4; cat deep/cache/file deep/file", { shared });
    await first;
    expect((await second).stdout).toBe("sharedshared");
    expect(readdirSync(worktree)).toEqual([]);
  });

  it("gives a command only three descriptors", async () => {
    const { stdout } = await runNode(
      sandbox,
      scratchFolder(),
      "console.log(require('fs').readdirSync('/proc/self/fd').map((n) => { try { return require('fs').readlinkSync('/proc/self/fd/' + n) } catch { return '' } }).filter((to) => !/^(anon_inode|pipe|socket)/.test(to)).join())",
    );
    expect(stdout.split(",").filter((path) => path.startsWith("/") && path.trim() !== "/dev/null" && !path.startsWith("/proc/"))).toEqual(
      [],
    );
  });

  it("works for a non-root user", (context) => {
    if (process.getuid?.() !== 0) return context.skip("these tests run without root already");
    const script = join(import.meta.dirname, "testing", "probe-as-user.ts");
    const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=slipway-source", script], {
      uid: 65_534,
      gid: 65_534,
      cwd: "/",
      env: {},
      encoding: "utf8",
    });
    if (/EACCES|Permission denied|Cannot find module/.test(stderr)) return context.skip("the source is not readable for other users");
    expect(JSON.parse(stdout)).toEqual({ uid: 65_534, available: true, failed: [] });
  });
});

describe("opening", () => {
  it("is refused without bubblewrap, with a suggestion", async () => {
    const error = await openSandbox({ searchPath: scratchFolder() }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "sandbox_unavailable",
      details: { requires_human: true, probes: [{ name: "bubblewrap is installed", passed: false }] },
    });
    expect(String((error as Error).message)).toContain("bwrap is not in");
    expect(JSON.stringify(error)).toContain("apt-get install bubblewrap");
  });

  it("is refused if bubblewrap is installed but does not work", async () => {
    const folder = scratchFolder();
    writeFileSync(
      join(folder, "bwrap"),
      '#!/bin/sh\ncase "$1" in --version|--help) exit 0;; esac\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
    );
    chmodSync(join(folder, "bwrap"), 0o755);
    const error = await openSandbox({ searchPath: folder }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining("No permissions to create new namespace"),
    });
    // Only what failed: the person must not look for a fault in what works.
    const { details, message } = error as {
      readonly message: string;
      readonly details: { readonly probes: { readonly passed: boolean }[] };
    };
    expect(details.probes.map(({ passed }) => passed)).not.toContain(true);
    expect(message).not.toContain("bubblewrap is installed");
    expect(await probeSandbox(folder)).toMatchObject({ available: false, version: null });
  });

  it("is refused if it does not isolate", async (context) => {
    if (!works) return context.skip("there is no bubblewrap to weaken");
    const folder = scratchFolder();
    // Always shares the network with the host.
    writeFileSync(
      join(folder, "bwrap"),
      `#!/bin/sh\ncase "$1" in --version|--help) exec /usr/bin/bwrap "$1";; esac\noptions="$1 $2"; shift 2; exec /usr/bin/bwrap $options --share-net "$@"\n`,
    );
    chmodSync(join(folder, "bwrap"), 0o755);
    const { available, probes } = await probeSandbox(folder);
    expect(available).toBe(false);
    expect(probes.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["no TCP port of the host is reached"]),
    );
  });

  it("continues without an option that bubblewrap lists but refuses", async (context) => {
    if (!works) return context.skip("there is no bubblewrap to weaken");
    const folder = scratchFolder();
    const script = [
      'case "$1" in --version|--help) exec /usr/bin/bwrap "$1";; esac',
      "file=$(/usr/bin/mktemp -p /dev/shm); /bin/cat <&4 >$file; exec 4<$file; /bin/rm $file",
      'if /bin/grep -q disable-userns /proc/self/fd/4; then echo "bwrap: not supported in setuid mode" >&2; exit 1; fi',
      'exec /usr/bin/bwrap "$@" 4</proc/self/fd/4',
    ];
    writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script.join("\n")}\n`);
    chmodSync(join(folder, "bwrap"), 0o755);
    const { available, host, probes } = await probeSandbox(folder);
    expect(probes.filter(({ passed }) => !passed)).toEqual([]);
    expect(available).toBe(true);
    expect(host?.options.has("--disable-userns")).toBe(false);
  });

  it("is refused on a system without bubblewrap", async () => {
    const { available, probes } = await probeOnce("/usr/bin", "darwin");
    expect(available).toBe(false);
    expect(probes[0]?.detail).toContain("this is darwin");
  });

  it.each([
    [{ timedOut: true }, "did not end in time"],
    [{ limit: "memory" as const }, "limit of memory"],
    [{ exitCode: 5 }, "exit code 5"],
    [{ spawnError: { code: "EAGAIN", message: "busy", transient: true } }, "busy"],
  ])("the self-test reports the reason if nothing runs: %j", async (outcome, expected) => {
    const run = async () => ({ exitCode: null, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 1, ...outcome });
    const probes = await tryEscapes({ kind: "bubblewrap", run }, describeHost("/usr/bin/bwrap", ""));
    expect(probes.map(({ passed }) => passed)).toEqual([false, false, false]);
    for (const { detail } of probes) expect(detail).toContain(expected);
  });

  it("probes once per process", () => {
    expect(probeSandbox()).toBe(probeSandbox());
  });
});

describe("setupFailure", () => {
  it.each([
    ["bwrap: Creating new namespace failed: Resource temporarily unavailable\n", true],
    ["bwrap: Can't mount proc: Operation not permitted", false],
    ["", false],
  ])("%j is transient: %s", (complaint, transient) => expect(setupFailure(complaint)).toMatchObject({ code: "SANDBOX_SETUP", transient }));
});
