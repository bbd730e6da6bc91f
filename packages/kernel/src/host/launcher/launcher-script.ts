import { DESCENDANTS } from "./reaper-script.ts";
import { prepareScript } from "./prepare-script.ts";

/**
 * The launcher: a small process that starts others and kills them when Slipway dies. It is written in Perl, which is installed
 * wherever git is, and forks ten times faster than Node, because it has a tenth of its memory. Its first order contains our address,
 * our secret, the number of connections to make in advance and whether its children die with us; each later order is a process to
 * start. An order is a length-prefixed list of length-prefixed texts: see `orderOf`. It reports lines.
 *
 * SIGCHLD is unblocked only while it waits, with an immediate handler: Perl's deferred handlers could run too late to end the wait.
 */
export const LAUNCHER_SCRIPT = String.raw`
use strict;
use POSIX ();
use Errno ();
${prepareScript()}
my (%connections, %texts, %ids, %temporary);
my ($address, $secret, $made, $bound) = ("", "", 0, "");

sub report { syswrite(STDOUT, join(" ", @_) . "\n") }

sub add_connection {
  my $number = $made++;
  socket(my $socket, 1, 1, 0) or return;
  connect($socket, pack("S a*", 1, $address)) or return;
  syswrite($socket, "$secret $number\n");
  $connections{$number} = $socket;
}

sub text_file {
  my ($text) = @_;
  if (!$texts{$text}) {
    my $path = "/tmp/slipway-" . join("", map { sprintf("%08x", rand(4294967295)) } 1 .. 3);
    sysopen(my $file, $path, 0302, 0600) or return;
    unlink($path);
    syswrite($file, $text);
    $texts{$text} = $file;
  }
  open(my $reader, "<", "/proc/self/fd/" . fileno($texts{$text})) or return;
  return $reader;
}

# If the text is larger than the pipe, a child process writes the rest.
sub feed {
  my ($text) = @_;
  pipe(my $reader, my $writer) or return;
  fcntl($writer, 4, 2048);
  my $done = syswrite($writer, $text) || 0;
  return $reader if $done == length($text) || fork() != 0;
  close($reader);
  fcntl($writer, 4, 0);
  while ($done < length($text)) { $done += syswrite($writer, $text, 65536, $done) || last }
  POSIX::_exit(0);
}

sub file_for {
  my ($kind, $value) = @_;
  return text_file($value) if $kind eq "text";
  return feed($value) if $kind eq "feed";
  my $given = $kind eq "connection" ? delete $connections{$value} : undef;
  return $given if $given;
  my $file;
  return $file if $kind eq "path" && open($file, "<", $value);
  open($file, "+<", "/dev/null") or return;
  return $file;
}

sub fail {
  my ($to, $what) = @_;
  my ($number, $message) = ($! + 0, "$what: $!");
  $message =~ tr/\n/ /;
  syswrite($to, "$number $message");
  POSIX::_exit(127);
}

sub become {
  my ($problem, $files, $cwd, $env, $steps, $file, @arguments) = @_;
  # Before the descriptors are moved, which overwrites the ones above them.
  my $undone = prepare(@$steps);
  fail($problem, $undone) if defined($undone);
  my $above = 3 + @$files;
  for ($problem, @$files) { my $number = fileno($_); $above = $number + 1 if $number >= $above }
  POSIX::setsid();
  POSIX::dup2(fileno($$files[$_]), $above + $_) for 0 .. $#$files;
  my $complaint = fileno($problem);
  if ($complaint < @$files) {
    my $moved = $above + @$files;
    POSIX::dup2($complaint, $moved);
    open($problem, ">>&=", $moved);
  }
  for (0 .. $#$files) { POSIX::dup2($above + $_, $_); POSIX::close($above + $_) }
  fcntl($problem, 2, 1);
  POSIX::sigprocmask(1, POSIX::SigSet->new(POSIX::SIGCHLD));
  $SIG{PIPE} = "DEFAULT";
  chdir($cwd) or fail($problem, $cwd);
  %ENV = map { split(/=/, $_, 2) } @$env;
  no warnings;
  exec({ $file } $file, @arguments) or fail($problem, $file);
}

sub start {
  my ($id, $cwd, $temporary, $file, $arguments, @rest) = @_;
  my @arguments = splice(@rest, 0, $arguments);
  my $variables = shift(@rest);
  my @env = splice(@rest, 0, $variables);
  my @steps = splice(@rest, 0, shift(@rest));
  my ($used, @files) = (0);
  while (my ($kind, $value) = splice(@rest, 0, 2)) {
    $used++ if $kind eq "connection";
    my $file = file_for($kind, $value) or return report($id, "error", "EIO", "no file behind a descriptor: $!");
    push(@files, $file);
  }
  prepare_ahead(@steps);
  pipe(my $heard, my $problem);
  my $pid = fork();
  if (defined($pid) && $pid == 0) {
    become($problem, \@files, $cwd, \@env, \@steps, $file, @arguments);
  }
  my $error = defined($pid) ? "" : ($! + 0) . " $!";
  close($problem);
  @files = ();
  sysread($heard, $error, 4096) if defined($pid);
  if ($error ne "") {
    waitpid($pid, 0) if defined($pid);
    my ($number, $message) = split(/ /, $error, 2);
    local $! = $number;
    my ($code) = grep { $!{$_} } keys(%!);
    report($id, "error", $code || "UNKNOWN", $message);
  } else {
    $ids{$pid} = $id;
    $temporary{$pid} = $temporary if $temporary ne "";
    report($id, "pid", $pid);
  }
  add_connection() for 1 .. $used;
}

# Links are not followed, and no process is left that could change what is there.
sub remove_all {
  my ($path) = @_;
  return unlink($path) if -l $path || !-d $path;
  opendir(my $folder, $path) or return;
  my @names = grep { $_ ne "." && $_ ne ".." } readdir($folder);
  closedir($folder);
  remove_all("$path/$_") for @names;
  rmdir($path);
}

sub obey {
  my @fields = unpack("(N/a*)*", $_[0]);
  return start(@fields) if $address ne "";
  ($address, $secret, my $spare, $bound) = @fields;
  adopt() if $bound;
  add_connection() for 1 .. $spare;
}

${DESCENDANTS}
# A closed report stream must not kill the launcher before its children.
$SIG{PIPE} = "IGNORE";
pipe(my $wakes, my $wake);
my $dead = POSIX::SigSet->new(POSIX::SIGCHLD);
POSIX::sigprocmask(0, $dead);
POSIX::sigaction(POSIX::SIGCHLD, POSIX::SigAction->new(sub { syswrite($wake, "x") }, $dead, POSIX::SA_NOCLDSTOP));
my $input = "";
for (;;) {
  my $ready = "";
  vec($ready, fileno(STDIN), 1) = vec($ready, fileno($wakes), 1) = 1;
  POSIX::sigprocmask(1, $dead);
  my $found = select($ready, undef, undef, undef);
  POSIX::sigprocmask(0, $dead);
  if ($found <= 0) {
    $ready = "";
    vec($ready, fileno($wakes), 1) = 1;
    next if !select($ready, undef, undef, 0);
  }
  if (vec($ready, fileno($wakes), 1)) {
    sysread($wakes, my $drained, 4096);
    while ((my $pid = waitpid(-1, 1)) > 0) {
      my $status = $?;
      my $id = delete $ids{$pid};
      delete $temporary{$pid};
      report($id, "ending", $status & 127 ? (-1, $status & 127) : ($status >> 8, 0)) if defined($id);
    }
  }
  next if !vec($ready, fileno(STDIN), 1);
  sysread(STDIN, $input, 65536, length($input)) or last;
  while (length($input) >= 4 && length($input) >= 4 + (my $length = unpack("N", $input))) {
    obey(substr($input, 4, $length));
    substr($input, 0, 4 + $length) = "";
  }
}
# Slipway has ended. Unbound children may continue.
exit(0) if !$bound;
end_all();
remove_all($_) for values(%temporary);
`;
