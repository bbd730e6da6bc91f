import { describe, expect, it } from "vitest";
import { machineOf, SYSCALLS, type SyscallName } from "../launcher/syscalls.ts";
import { answer, assemble, load, unlessEqualSkip } from "./bpf.ts";
import { runInBubblewrap } from "./bubblewrap.ts";
import { sandboxName, type Sandbox } from "./contract.ts";
import { describeHost, type SandboxHost } from "./host.ts";
import { probeSandbox } from "./probe.ts";
import { sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";
import { NUMBER_AT, seccompProgram } from "./seccomp.ts";
import { missingWalls, tryWalls } from "./wall-probes.ts";

const HELP = "--as-pid-1 --seccomp FD";

describe("missing protections", () => {
  const names = (host: SandboxHost, arch?: string) => missingWalls(host, arch).map(({ name }) => name);

  it("are none with Perl on a known architecture", () => {
    const host = describeHost("/usr/bin/bwrap", HELP, "arm64");
    expect(names(host, "arm64")).toEqual([]);
    expect(sandboxName({ kind: "bubblewrap", missing: names(host, "arm64"), run: () => Promise.reject(new Error()) })).toBe("bubblewrap");
  });

  it("are reported with the reason, also in the evidence", () => {
    const strange = describeHost("/usr/bin/bwrap", HELP, "riscv64");
    expect([strange.init, strange.filter]).toEqual([null, null]);
    expect(missingWalls(strange, "riscv64")[0]?.detail).toContain("riscv64");
    const old = describeHost("/usr/bin/bwrap", "", "x64");
    expect(names(old, "x64")).toEqual(["process 1 of its own", "a filter of system calls"]);
    expect(sandboxName({ kind: "bubblewrap", missing: names(old, "x64"), run: () => Promise.reject(new Error()) })).toBe(
      "bubblewrap without process 1 of its own, a filter of system calls",
    );
    const poor = { ...describeHost("/usr/bin/bwrap", HELP, "x64"), perl: null, init: null };
    expect(missingWalls(poor, "x64").map(({ detail }) => detail)).toContain("not tried: no Perl");
  });
});

describe.skipIf(!sandboxWorksHere())("the wall probes", () => {
  async function fallen(change: Partial<SandboxHost>): Promise<string[]> {
    const { host } = await probeSandbox();
    if (host === null) throw new Error("no sandbox");
    const changed = { ...host, ...change };
    const sandbox: Sandbox = { kind: "bubblewrap", run: (request) => runInBubblewrap(request, changed, {}) };
    return (await tryWalls(sandbox, changed, scratchFolder())).filter(({ passed }) => !passed).map(({ name }) => name);
  }

  it("all pass", async () => {
    expect(await fallen({})).toEqual([]);
  });

  it.each([
    [{ init: null, filter: null }, ["a command cannot fake its exit code", "process 1 can neither be traced nor read"]],
    [{ filter: null }, ["no keyring of the host is reached", "no file is made set-user-id"]],
  ])("fail without %j", async (change, expected) => {
    expect(await fallen(change)).toEqual(expect.arrayContaining(expected));
  });

  /** The filter, but with one call that succeeds, whether or not this kernel has it. */
  function filterThatGrants(call: SyscallName): Buffer {
    const machine = machineOf(process.arch);
    const number = machine === null ? null : SYSCALLS[call][machine];
    if (machine === null || number === null) throw new Error(`${call} is unknown here`);
    const succeeds = 0x0005_0000;
    return Buffer.concat([assemble([load(NUMBER_AT), unlessEqualSkip(number, 1), answer(succeeds)]), seccompProgram(machine)]);
  }

  it.each<[SyscallName, string]>([
    ["ptrace", "process 1 can neither be traced nor read"],
    ["keyctl", "no keyring of the host is reached"],
    ["add_key", "no keyring of the host is reached"],
    ["socket", "no socket leads to the hypervisor, to hardware or into the kernel"],
    ["memfd_create", "no memory escapes the limit"],
    ["memfd_secret", "no memory escapes the limit"],
    ["shmget", "no memory escapes the limit"],
    ["io_uring_setup", "io_uring is refused"],
    ["userfaultfd", "userfaultfd is refused"],
    ["unshare", "no namespace can be made"],
  ])("fail with a filter that grants %s: %s", async (call, expected) => {
    expect(await fallen({ filter: filterThatGrants(call) })).toEqual([expected]);
  });

  it.skipIf(process.getuid?.() !== 0)("fail if the command is root on the host", async () => {
    expect(await fallen({ user: null })).toContain("the command is not root on the host");
    expect(await fallen({ user: null, procPaths: [] })).toContain("no setting of the kernel can be written");
  });
});
