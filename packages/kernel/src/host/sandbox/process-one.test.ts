import { beforeAll, describe, expect, it } from "vitest";
import { machineOf } from "../launcher/syscalls.ts";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { Sandbox } from "./contract.ts";
import type { SandboxHost } from "./host.ts";
import { probeSandbox } from "./probe.ts";
import { openSandbox } from "./sandbox.ts";
import { FORGE_EXIT_CODE } from "./testing/forge.ts";
import { runCommand, runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";

const machine = machineOf(process.arch);

describe.skipIf(!sandboxWorksHere() || machine === null)("process 1", () => {
  let sandbox: Sandbox;
  let host: SandboxHost;
  beforeAll(async () => {
    sandbox = await openSandbox();
    const probed = await probeSandbox();
    if (probed.host === null) throw new Error("no sandbox");
    host = probed.host;
  });
  const changed = (change: Partial<SandboxHost>): Sandbox => ({
    kind: "bubblewrap",
    run: (request) => runInBubblewrap(request, { ...host, ...change }, {}),
  });
  const forge = (where: Sandbox) => runCommand(where, scratchFolder(), ["perl", "-e", FORGE_EXIT_CODE, "3"]);

  it("B2: a command cannot fake its exit code through the descriptors of process 1", async () => {
    expect(await forge(sandbox)).toMatchObject({ exitCode: 3, signal: null });
    // Each of the two protections alone suffices; without both the attack works.
    expect(await forge(changed({ filter: null }))).toMatchObject({ exitCode: 3 });
    expect(await forge(changed({ init: null }))).toMatchObject({ exitCode: 3 });
    expect(await forge(changed({ init: null, filter: null }))).toMatchObject({ exitCode: 0 });
  });

  it("B2: neither its memory nor its descriptors can be opened", async () => {
    const look = "cat /proc/1/comm; readlink /proc/1/fd/0 /proc/1/exe; head -c 9 /proc/1/environ; head -c 9 /proc/1/mem; : > /proc/1/mem";
    const { stdout, stderr } = await runShell(sandbox, scratchFolder(), look);
    expect(stdout).toBe("slipway-init\n");
    expect(stderr).toMatch(/environ.*Permission denied[^]*mem.*Permission denied[^]*mem: Permission denied/);
  });

  it("exits with the command's code, and ends the processes that it left running", async () => {
    const daemon = "setsid sh -c 'sleep 60' >/dev/null 2>&1 & ";
    for (const [script, exitCode] of [
      ["exit 0", 0],
      ["exit 77", 77],
      ["kill -9 $$", 137],
      ["kill -TERM $$", 143],
      ["exit 255", 255],
    ] as const)
      expect(await runShell(sandbox, scratchFolder(), daemon + script)).toMatchObject({ exitCode, signal: null });
  });

  it("gets no signal of the command, which leads its own session", async () => {
    const script = "kill -9 1; kill -TERM 1; kill -STOP 1; kill -INT 1; ps -o sid= -p $$ | tr -d ' '; echo $$; exit 4";
    const { stdout, exitCode } = await runShell(sandbox, scratchFolder(), script);
    expect(exitCode).toBe(4);
    expect(stdout.split("\n")).toMatchObject(["2", "2", ""]);
  });

  it("passes the environment to the command, and has none itself", async () => {
    const env = { WORDS: "two words\nand a line", EMPTY: "", LD_PRELOAD: "/no/such.so", PERL5OPT: "-Mnosuch" };
    const ran = await runShell(sandbox, scratchFolder(), 'printf "%s|%s|%s" "$WORDS" "$EMPTY" "$PERL5OPT"', { env });
    expect(ran).toMatchObject({ stdout: "two words\nand a line||-Mnosuch", exitCode: 0 });
  });

  it("reports a program that cannot be run", async () => {
    const ran = await runCommand(sandbox, scratchFolder(), ["/etc/passwd"]);
    expect(ran.spawnError?.code).toBe("ENOENT");
  });
});

it.skipIf(!sandboxWorksHere())("B1: nothing below /proc that changes the kernel can be written", async () => {
  const sandbox = await openSandbox();
  const { stdout } = await runShell(
    sandbox,
    scratchFolder(),
    "find /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/scsi /proc/acpi /proc/fs -writable 2>/dev/null | wc -l; cat /proc/sys/kernel/osrelease",
  );
  expect(stdout).toMatch(/^0\n\d/);
});
