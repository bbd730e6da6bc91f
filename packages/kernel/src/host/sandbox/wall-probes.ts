import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SYSCALLS, machineOf, type SyscallTable } from "../launcher/syscalls.ts";
import type { Sandbox } from "./contract.ts";
import type { SandboxHost } from "./host.ts";
import { judge, whyNot, type Probe } from "./probe-result.ts";

const RUN_TIMEOUT_MS = 20_000;
const FORGED_CODE = 83;

/** The word that the script prints if an attempt succeeds, and the name of the probe. */
const WALLS = {
  forged: "a command cannot fake its exit code",
  one: "process 1 can neither be traced nor read",
  root: "the command is not root on the host",
  sysctl: "no setting of the kernel can be written",
  keyring: "no keyring of the host is reached",
  setuid: "no file is made set-user-id",
  vsock: "no socket leads to the hypervisor, to hardware or into the kernel",
  memory: "no memory escapes the limit",
  uring: "io_uring is refused",
  fault: "userfaultfd is refused",
  namespace: "no namespace can be made",
} as const;

/** In Perl, because Node cannot make a system call by number. */
function attempts(machine: SyscallTable): string {
  const number = (name: keyof typeof SYSCALLS): number => SYSCALLS[name][machine] ?? -1;
  return String.raw`
my ($file, $type, $text) = ("file", "user", "slipway-probe");
sub through { print "$_[0]\n" if $_[1] }
# Without process 1 as its parent, the script is not in a sandbox.
if (getppid() != 1) { print "$_\n" for qw(one root sysctl tried); exit(0) }
through("one", syscall(${number("ptrace")}, 0x4206, 1, 0, 0) == 0 || open(my $memory, "+<", "/proc/1/mem") || open(my $environ, "<", "/proc/1/environ"));
through("root", (stat("/proc/sys/kernel/core_pattern"))[4] == $< || (stat("/dev/null"))[4] == $<);
through("sysctl", grep { open(my $setting, "+<", "/proc/sys/$_") } qw(kernel/core_pattern kernel/domainname vm/overcommit_memory kernel/pid_max));
through("keyring", syscall(${number("keyctl")}, 0, -3, 1) >= 0 || syscall(${number("add_key")}, $type, $text, $text, 1, -3) >= 0);
through("setuid", chmod(04755, $file) && (stat($file))[2] & 04000);
# AF_VSOCK, AF_ALG, AF_PACKET, AF_KEY, AF_BLUETOOTH, AF_XDP
through("vsock", grep { socket(my $other, $_, $_ == 38 ? 5 : 3, 0) || socket($other, $_, 1, 0) } qw(40 38 17 15 31 44));
through("memory", syscall(${number("memfd_create")}, $type, 0) >= 0 || syscall(${number("memfd_secret")}, 0) >= 0 || syscall(${number("shmget")}, 0, 1 << 24, 01600) >= 0);
through("uring", syscall(${number("io_uring_setup")}, 1, my $parameters = "\0" x 120) >= 0);
through("fault", syscall(${number("userfaultfd")}, 1) >= 0);
through("namespace", syscall(${number("unshare")}, 0x10000000) == 0);
print "tried\n";
`;
}

/** Forges exit code 0: writes what bubblewrap's own process 1 would write to every descriptor of process 1 that it can get. */
function forgery(machine: SyscallTable): string {
  return String.raw`
my $stolen;
my $one = getppid() == 1 ? syscall(434, 1, 0) : exit(0);
for (3 .. 40) {
  my $got = syscall(${SYSCALLS.pidfd_getfd[machine]}, $one, $_, 0);
  syswrite($stolen, pack("Q", 1)) if $got >= 0 && open($stolen, ">&=", $got);
}
select(undef, undef, undef, 0.05) if $one >= 0;
exit(${FORGED_CODE});
`;
}

const lacking = (name: string, detail: string): Probe => ({ name, passed: false, detail });

/** The protections that are known to be missing without a try. */
export function missingWalls({ init, filter, perl }: SandboxHost, arch: string = process.arch): Probe[] {
  const unknown = machineOf(arch) === null ? `no numbers of system calls are known for ${arch}` : null;
  return [
    ...(init === null
      ? [lacking("process 1 of its own", unknown ?? (perl === null ? "no Perl at /usr/bin/perl" : "this bubblewrap has no --as-pid-1"))]
      : []),
    ...(filter === null ? [lacking("a filter of system calls", unknown ?? "this bubblewrap has no --seccomp")] : []),
    ...(perl === null ? [lacking("a session keyring of its own", "no Perl at /usr/bin/perl")] : []),
    ...(perl === null || unknown !== null ? [lacking("a try of each system call", `not tried: ${unknown ?? "no Perl"}`)] : []),
  ];
}

export async function tryWalls(sandbox: Sandbox, host: SandboxHost, scratch: string): Promise<Probe[]> {
  const machine = machineOf(process.arch);
  if (machine === null || host.perl === null) return [];
  const worktree = join(scratch, "walls");
  await mkdir(worktree);
  await writeFile(join(worktree, "file"), "");
  let output = "";
  const run = { worktree, timeoutMs: RUN_TIMEOUT_MS };
  const forged = sandbox.run({ ...run, command: [host.perl, "-e", forgery(machine)] });
  const outcome = await sandbox.run({
    ...run,
    command: [host.perl, "-e", attempts(machine)],
    onOutput: (stream, chunk) => stream === "stdout" && (output += Buffer.from(chunk).toString("utf8")),
  });
  const said = new Set(output.split("\n"));
  if ((await forged).exitCode !== FORGED_CODE) said.add("forged");
  if (((await stat(join(worktree, "file"))).mode & 0o6000) !== 0) said.add("setuid");
  if (!said.has("tried")) return [{ name: "the walls can be tried", passed: false, detail: whyNot(outcome, output) }];
  return Object.entries(WALLS).map(([key, name]) => judge(name, said.has(key)));
}
