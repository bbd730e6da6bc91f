import { existsSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SYSCALLS, machineOf, type SyscallTable, type SyscallName } from "../launcher/syscalls.ts";
import { runInBubblewrap } from "./bubblewrap.ts";
import type { SandboxHost } from "./host.ts";
import { probeSandbox } from "./probe.ts";
import { ALLOW, KILL_PROCESS, X32_BIT, seccompProgram } from "./seccomp.ts";
import { SYSCALL_RULES } from "./syscall-rules.ts";
import { runFilter } from "./testing/bpf-interpreter.ts";
import { runCommand, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";

const AT_FDCWD = -100;
type Argument = number | string;
type Case = readonly [call: SyscallName, args: readonly Argument[], error: "EPERM" | "ENOSYS" | "EAFNOSUPPORT" | "EINVAL"];

const REFUSED: readonly Case[] = [
  ["ptrace", [0, 0, 0, 0], "EPERM"],
  ["process_vm_readv", [1, 0, 0, 0, 0, 0], "EPERM"],
  ["process_vm_writev", [1, 0, 0, 0, 0, 0], "EPERM"],
  ["process_madvise", [-1, 0, 0, 0, 0], "EPERM"],
  ["pidfd_getfd", [-1, 0, 0], "EPERM"],
  ["kcmp", [1, 1, 0, 0, 0], "EPERM"],
  ["keyctl", [0, -3, 1], "EPERM"],
  ["add_key", ["user", "slipway", "x", 1, -3], "EPERM"],
  ["request_key", ["user", "slipway", 0, 0], "EPERM"],
  ["io_uring_setup", [1, 0], "ENOSYS"],
  ["io_uring_enter", [-1, 0, 0, 0, 0, 0], "ENOSYS"],
  ["io_uring_register", [-1, 0, 0, 0], "ENOSYS"],
  ["userfaultfd", [1], "EPERM"],
  ["bpf", [0, 0, 0], "EPERM"],
  ["perf_event_open", [0, 0, 0, 0, 0], "EPERM"],
  ["mount", ["none", "/tmp", "tmpfs", 0, 0], "EPERM"],
  ["umount2", ["/tmp", 0], "EPERM"],
  ["pivot_root", [".", "."], "EPERM"],
  ["open_tree", [AT_FDCWD, "/tmp", 0], "EPERM"],
  ["open_tree_attr", [AT_FDCWD, "/tmp", 0, 0, 0], "EPERM"],
  ["move_mount", [AT_FDCWD, "/tmp", AT_FDCWD, "/run", 0], "EPERM"],
  ["mount_setattr", [AT_FDCWD, "/tmp", 0, 0, 0], "EPERM"],
  ["fsopen", ["tmpfs", 0], "EPERM"],
  ["fsconfig", [-1, 0, 0, 0, 0], "EPERM"],
  ["fsmount", [-1, 0, 0], "EPERM"],
  ["fspick", [AT_FDCWD, "/tmp", 0], "EPERM"],
  ["open_by_handle_at", [-1, 0, 0], "EPERM"],
  ["kexec_load", [0, 0, 0, 0], "EPERM"],
  ["kexec_file_load", [-1, -1, 0, 0, 0], "EPERM"],
  ["init_module", [0, 0, ""], "EPERM"],
  ["finit_module", [-1, "", 0], "EPERM"],
  ["delete_module", ["none", 0], "EPERM"],
  ["memfd_create", ["x", 0], "ENOSYS"],
  ["memfd_secret", [0], "ENOSYS"],
  ...[2 ** 16, 2 ** 20, 2 ** 31, 2 ** 32, 2 ** 40].map((size): Case => ["shmget", [0, size, 0o1600], "EINVAL"]),
  ["clone3", [0, 0], "ENOSYS"],
  ["openat2", [AT_FDCWD, "/tmp", 0, 0], "ENOSYS"],
  ["setns", [-1, 0], "EPERM"],
  ...[0x2000_0000, 0x4000_0000, 0x1000_0000, 0x0800_0000, 0x0400_0000, 0x0200_0000, 0x0002_0000].flatMap((flag): Case[] => [
    ["clone", [flag, 0, 0, 0, 0], "EPERM"],
    ["unshare", [flag], "EPERM"],
  ]),
  ["unshare", [0x80], "EPERM"],
  // Families other than the allowed ones: ax25, key, packet, bluetooth, alg, vsock, qipcrtr, xdp.
  ...[3, 15, 17, 31, 38, 40, 42, 44].map((family): Case => ["socket", [family, 1, 0], "EAFNOSUPPORT"]),
  ["socketpair", [40, 1, 0, 0], "EAFNOSUPPORT"],
  ["ioctl", [0, 0x5412, "x"], "EPERM"],
  ["ioctl", [0, 0x541c, "x"], "EPERM"],
  ...[0o4755, 0o2755, 0o6000].flatMap((mode): Case[] => [
    ["chmod", ["file", mode], "EPERM"],
    ["fchmod", [-1, mode], "EPERM"],
    ["fchmodat", [AT_FDCWD, "file", mode], "EPERM"],
    ["fchmodat2", [AT_FDCWD, "file", mode, 0], "EPERM"],
    ["mknod", ["made", 0o100000 | mode, 0], "EPERM"],
    ["mknodat", [AT_FDCWD, "made", 0o100000 | mode, 0], "EPERM"],
    ["creat", ["made", mode], "EPERM"],
    ["open", ["made", 0o101, mode], "EPERM"],
    ["openat", [AT_FDCWD, "made", 0o101, mode], "EPERM"],
    ["openat", [AT_FDCWD, ".", 0o20200002, mode], "EPERM"],
  ]),
];

/** Also with bits in a register that the kernel ignores. */
const ALLOWED: readonly (readonly [SyscallName, readonly Argument[]])[] = [
  ["clone", [0x11, 0, 0, 0, 0]],
  ["clone", [0x80, 0, 0, 0, 0]],
  ["unshare", [0x600]],
  ["socket", [1, 1, 0]],
  ["socket", [2, 1, 0]],
  ["socket", [10, 1, 0]],
  ["socket", [16, 3, 0]],
  ["socketpair", [1, 1, 0, 0]],
  ["ioctl", [0, 0x5401, 0]],
  ["shmget", [0, 2 ** 16 - 1, 0o1600]],
  ["chmod", ["file", 0o1777]],
  ["fchmodat", [AT_FDCWD, "file", 0o755]],
  ["open", ["file", 0, 0o4755]],
  ["openat", [AT_FDCWD, "file", 0o2, 0o6777]],
  ["openat", [AT_FDCWD, "new", 0o101, 0o644]],
  ["prctl", [4, 0, 0, 0, 0]],
  ["prlimit64", [0, 6, 0, 0]],
];

const asNumbers = (args: readonly Argument[]): number[] => args.map((value) => (typeof value === "string" ? 0x7fff_0000_0000 : value));

describe.each<SyscallTable>(["x64", "arm64"])("the filter for %s", (machine) => {
  const program = seccompProgram(machine);
  const known = <T extends readonly [SyscallName, ...unknown[]]>(list: readonly T[]) =>
    list.filter(([call]) => SYSCALLS[call][machine] !== null);
  const ask = (call: SyscallName, args: readonly Argument[]) =>
    runFilter(program, machine, { number: SYSCALLS[call][machine] ?? -1, args: asNumbers(args) });

  it.each(known(REFUSED))("refuses %s %j with %s", (call, args, error) => {
    expect(ask(call, args)).toBe(0x50000 | constants.errno[error]);
  });

  it.each(known(ALLOWED))("lets %s %j through", (call, args) => {
    expect(ask(call, args)).toBe(ALLOW);
  });

  it("compares the 32 bits that the kernel uses", () => {
    const vsock = { number: SYSCALLS.socket[machine], args: [2 ** 32 + 40, 1, 0] };
    const inet = { number: SYSCALLS.socket[machine], args: [2 ** 32 + 2, 1, 0] };
    expect([runFilter(program, machine, vsock), runFilter(program, machine, inet)]).toEqual([
      0x50000 | constants.errno.EAFNOSUPPORT,
      ALLOW,
    ]);
  });

  it("kills a program of another architecture at any call", () => {
    const i386 = 0x4000_0003;
    expect(runFilter(program, machine, { number: 1, args: [], arch: i386 })).toBe(KILL_PROCESS);
    const other = seccompProgram(machine === "x64" ? "arm64" : "x64");
    expect(runFilter(other, machine, { number: 1, args: [] })).toBe(KILL_PROCESS);
  });

  it("lets every other call through, also unknown ones", () => {
    const named = new Set(SYSCALL_RULES.map(({ call }): number | null => SYSCALLS[call][machine]));
    for (let number = 0; number < 600; number++)
      if (!named.has(number)) expect(runFilter(program, machine, { number, args: [0o6777, 0o6777, 0o6777] }), `call ${number}`).toBe(ALLOW);
  });
});

it("the filter for x64 refuses every call of the x32 ABI", () => {
  for (const number of [0, 1, 101, 520]) {
    const asked = { number: X32_BIT + number, args: [] };
    expect(runFilter(seccompProgram("x64"), "x64", asked)).toBe(0x50000 | constants.errno.ENOSYS);
  }
});

it("every rule has a case here", () => {
  expect(new Set(SYSCALL_RULES.map(({ call }) => call))).toEqual(new Set(REFUSED.map(([call]) => call)));
});

const machine = machineOf(process.arch);

describe.skipIf(!sandboxWorksHere() || machine === null)("in a sandbox", () => {
  /** The kernel's answer to each case: the name of an error, or "done". */
  async function answers(change: (host: SandboxHost) => SandboxHost, folder: string): Promise<string[]> {
    const { host } = await probeSandbox();
    if (host === null || machine === null) throw new Error("no sandbox");
    writeFileSync(join(folder, "file"), "");
    const calls = REFUSED.map(([call, args]) =>
      [SYSCALLS[call][machine] ?? -1, ...args].map((value) => (typeof value === "number" ? `=${value}` : `-${value}`)).join("\t"),
    );
    const script = String.raw`
      use Errno;
      for (@ARGV) {
        my ($number, @given) = map { /^=(.*)/ ? $1 + 0 : substr($_, 1) } split(/\t/);
        pipe(my $heard, my $say);
        # Each in its own process, because some change or end the caller.
        my $pid = fork();
        if ($pid == 0) {
          my $answer = syscall($number, @given);
          my ($name) = $answer == -1 ? grep { $!{$_} } sort keys %! : "done";
          syswrite($say, $name);
          kill(9, $$);
        }
        close($say);
        sysread($heard, my $name, 99);
        waitpid($pid, 0);
        print defined($name) ? $name : "", "\n";
      }`;
    const sandbox = {
      kind: "bubblewrap" as const,
      run: (request: Parameters<typeof runInBubblewrap>[0]) => runInBubblewrap(request, change(host), {}),
    };
    const { stdout } = await runCommand(sandbox, folder, ["perl", "-e", script, ...calls]);
    return stdout.trimEnd().split("\n");
  }

  it("the kernel refuses all of them, and none without the filter", async () => {
    const folder = scratchFolder();
    const refused = await answers((host) => host, folder);
    expect(REFUSED.map(([call, args], index) => [call, args, refused[index]])).toEqual(REFUSED);
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(statSync(join(folder, "file")).mode & 0o6000).toBe(0);

    const open = await answers((host) => ({ ...host, filter: null }), scratchFolder());
    const opened = new Set(REFUSED.filter(([, , error], index) => open[index] !== error).map(([call]) => call));
    for (const call of ["ptrace", "pidfd_getfd", "keyctl", "add_key", "io_uring_setup", "clone3", "chmod", "openat", "mknodat"])
      expect(opened).toContain(call);
  });
});
