/** Perl functions that keep the descendants of a process together, and end them. */
export const DESCENDANTS = String.raw`
# Becomes the parent of orphaned descendants (PR_SET_CHILD_SUBREAPER), so that none escapes.
sub adopt {
  my %prctl = (x86_64 => 157, aarch64 => 167, riscv64 => 167, loongarch64 => 167);
  my $number = $prctl{(POSIX::uname())[4]};
  syscall($number, 36, 1, 0, 0, 0) if $number;
}

# Kills all descendants. Each is stopped (SIGSTOP) first, because it could fork otherwise. Only a second pass without new or
# running processes proves that all were found.
sub end_all {
  my (%doomed, $calm);
  my $until = time() + 5;
  while (($calm || 0) < 2 && time() < $until && waitpid(-1, 1) >= 0) {
    opendir(my $processes, "/proc") or last;
    $calm++;
    for my $pid (grep { /^\d+$/ } readdir($processes)) {
      open(my $file, "<", "/proc/$pid/stat") or next;
      my ($state, $parent) = join("", <$file>) =~ /.*\) (\S) (\d+)/s or next;
      next if $parent != $$ && !$doomed{$parent} || $doomed{$pid} && $state =~ /[TtZX]/;
      kill("STOP", $pid) if !$doomed{$pid}++;
      $calm = 0;
    }
    select(undef, undef, undef, 0.001) if !$calm;
  }
  kill("KILL", keys(%doomed));
}
`;

/**
 * Runs a command and ends with its exit code or signal. Then, and on SIGTERM, it ends every process that the command has started, also
 * one that left its session. Arguments: the command.
 */
const REAPER_SCRIPT = String.raw`
use POSIX ();
${DESCENDANTS}
sub finish { end_all(); alarm(5); 1 while waitpid(-1, 0) > 0 }
$SIG{ALRM} = "DEFAULT";
adopt();
defined(my $command = fork()) or POSIX::_exit(126);
if ($command == 0) { exec({ $ARGV[0] } @ARGV) or POSIX::_exit(127) }
$SIG{TERM} = sub { finish(); kill("KILL", $$) };
my $ended;
do { $ended = wait() } until $ended == $command || ($ended < 0 && !$!{EINTR});
my $status = $?;
finish();
if (my $signal = $status & 127) { $SIG{TERM} = "DEFAULT"; kill($signal, $$) }
POSIX::_exit($status >> 8);
`;

/** The command behind it. */
export function reaped(perl: string, command: readonly string[]): [file: string, ...args: string[]] {
  return [perl, "-f", "-e", REAPER_SCRIPT, ...command];
}
