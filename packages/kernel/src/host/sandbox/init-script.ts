import { SYSCALLS, type SyscallTable } from "../launcher/syscalls.ts";

/**
 * Process 1 of a sandbox. It starts before any code of the command and makes itself undumpable, so that no process inside can trace
 * it, read its descriptors or write its memory. Then it starts the command, reaps processes and exits with the command's code. Its
 * environment is empty, because variables such as LD_PRELOAD would affect it; the command's environment comes through a descriptor,
 * invisible to the host. It loads no Perl module, which would take longer than everything else. Arguments: the descriptor, the task
 * limit or 0, the command.
 */
export function initScript(machine: SyscallTable): string {
  const number = (name: "prctl" | "prlimit64" | "setsid"): number => SYSCALLS[name][machine];
  return String.raw`
sub refuse { print STDERR "slipway: $_[0]: $!\n"; exit(126) }
$0 = "slipway-init";
syscall(${number("prctl")}, 4, 0, 0, 0, 0) == 0 or refuse("PR_SET_DUMPABLE");
my ($descriptor, $tasks) = splice(@ARGV, 0, 2);
open(my $variables, "<&=", $descriptor) or refuse("the environment");
my $environment = do { local $/; <$variables> };
close($variables);
$SIG{CHLD} = "DEFAULT";
defined(my $command = fork()) or refuse("fork");
if ($command == 0) {
  syscall(${number("setsid")});
  if ($tasks > 0) { syscall(${number("prlimit64")}, 0, 6, pack("Q2", $tasks, $tasks), 0) == 0 or refuse("RLIMIT_NPROC") }
  %ENV = map { split(/=/, $_, 2) } split(/\0/, $environment);
  exec({ $ARGV[0] } @ARGV) or do { print STDERR "$ARGV[0]: $!\n"; exit(127) };
}
my $ended;
do { $ended = wait() } until $ended == $command || $ended < 0;
exit($ended < 0 ? 126 : $? & 127 ? 128 + ($? & 127) : $? >> 8);
`;
}
