import { machineOf, perlNumbers } from "./syscalls.ts";

/**
 * Perl functions, by name, that prepare a process before its program starts: see `PreparationStep`. Each returns what it could not do,
 * with the error in $!, or nothing.
 */
export function prepareScript(arch: string = process.arch): string {
  const machine = machineOf(arch);
  return `my %number = ${machine === null ? "()" : perlNumbers(machine)};${STEPS}`;
}

const STEPS = String.raw`
sub write_text {
  my ($path, $text) = @_;
  open(my $file, ">", $path) or return 0;
  return syswrite($file, $text) && close($file);
}

# The user namespace of an idmapped mount: swaps root on disk and the given user inside, and keeps all other ids.
my %maps;
sub map_of {
  my ($user, $group) = @_;
  return $maps{"$user $group"} if $maps{"$user $group"};
  pipe(my $ready, my $say) && pipe(my $held, my $hold) or return;
  defined(my $pid = fork()) or return;
  if ($pid == 0) {
    close($hold);
    syswrite($say, syscall($number{unshare}, 0x10000000) == 0 ? "x" : "");
    close($say);
    sysread($held, my $nothing, 1);
    POSIX::_exit(0);
  }
  close($say);
  sysread($ready, my $made, 1);
  my $lines = sub { my ($id) = @_; sprintf("0 %d 1\n1 1 %d\n%d %d %d\n", $id, $id - 1, $id + 1, $id + 1, 4294967294 - $id) };
  my $written = write_text("/proc/$pid/uid_map", $lines->($user)) && write_text("/proc/$pid/gid_map", $lines->($group));
  my $opened = $written && open(my $namespace, "<", "/proc/$pid/ns/user");
  my $error = $! + 0;
  close($hold);
  waitpid($pid, 0);
  $! = $error;
  $maps{"$user $group"} = $namespace if $opened;
  return $namespace;
}

# Once for each process, which can mount afterwards. Flags: CLONE_NEWUSER and CLONE_NEWNS.
my $owner = 0;
sub own_mounts {
  return if $owner == $$;
  my ($user, $group) = ($> + 0, $) + 0);
  return "an overlay is not supported on this architecture" if !$number{unshare};
  syscall($number{unshare}, 0x10020000) == 0 or return "a user namespace for overlays";
  write_text("/proc/self/uid_map", "$user $user 1") or return "uid_map";
  write_text("/proc/self/setgroups", "deny") or return "setgroups";
  write_text("/proc/self/gid_map", "$group $group 1") or return "gid_map";
  $owner = $$;
  return;
}

# Paths are passed as descriptors, because a comma or a colon in one would be read as an option. The first is read. With a third, a
# work folder, the second receives the writes; otherwise it is a further lower folder, because an overlay needs two. Flags: MS_NOSUID and MS_NODEV.
sub overlay {
  my ($place, @folders) = @_;
  my @opened;
  for (@folders) { open(my $folder, "<", $_) or return $_; push(@opened, $folder) }
  my ($lower, $second, $work) = map { "/proc/self/fd/" . fileno($_) } @opened;
  my $written = defined($work) ? "lowerdir=$lower,upperdir=$second,workdir=$work" : "lowerdir=$lower:$second";
  # Perl's syscall needs variables for texts.
  my ($type, $options) = ("overlay", "$written,userxattr");
  syscall($number{mount}, $type, $place, $type, 6, $options) == 0 or return "an overlay over $place";
  return;
}

my $ADVICE = "run Slipway as an ordinary user, or keep the repository on ext4, xfs or btrfs under Linux 5.19 or newer; root needs an idmapped mount of";

my %steps = (
  # May fail, if a group was removed meanwhile; the limits are also counted from outside.
  join => sub { write_text($_, "0") for @_; return },

  # May fail, as in some containers; the sandbox's filter still refuses every call that reaches a keyring.
  keyring => sub { syscall($number{keyctl}, 1, 0) if $number{keyctl}; return },

  # Flags: CLONE_NEWNS; MS_REC and MS_PRIVATE; OPEN_TREE_CLONE, OPEN_TREE_CLOEXEC and AT_RECURSIVE; AT_EMPTY_PATH and AT_RECURSIVE with
  # MOUNT_ATTR_IDMAP; MOVE_MOUNT_F_EMPTY_PATH. All trees are opened before the stage is mounted, which may cover them.
  stage => sub {
    my ($user, $group, $stage, @rest) = @_;
    return "a stage is not supported on this architecture" if !$number{open_tree};
    my $map = map_of($user, $group) or return "a user namespace for idmapped mounts";
    my ($none, $root, $type, $options) = ("", "/", "tmpfs", "mode=0755,size=1m");
    syscall($number{unshare}, 0x20000) == 0 or return "a mount namespace";
    syscall($number{mount}, $none, $root, $none, 0x44000, 0) == 0 or return "private mounts";
    my @trees;
    while (my ($kind, $from, $to) = splice(@rest, 0, 3)) {
      my $tree = syscall($number{open_tree}, -100, $from, 0x88001);
      return $from if $tree < 0;
      my $attributes = pack("Q4", 0x100000, 0, 0, fileno($map));
      my $mapped = syscall($number{mount_setattr}, $tree, $none, 0x9000, $attributes, 32) == 0;
      return "$ADVICE $from" if !$mapped && $kind eq "writable";
      push(@trees, [$tree, $to, -d $from]);
    }
    syscall($number{mount}, $type, $stage, $type, 6, $options) == 0 or return $stage;
    for (@trees) {
      my ($tree, $to, $folder) = @$_;
      ($folder ? mkdir($to, 0755) : open(my $file, ">", $to)) or return $to;
      syscall($number{move_mount}, $tree, $none, -100, $to, 4) == 0 or return $to;
      POSIX::close($tree);
    }
    return;
  },

  # The capabilities are lost with the user. After the switch the process is undumpable and could not write its own uid_map, so it is
  # made dumpable again (PR_SET_DUMPABLE).
  user => sub {
    my ($user, $group) = map { $_ + 0 } @_;
    syscall($number{setgroups}, 0, 0) == 0 or return "no groups";
    syscall($number{setresgid}, $group, $group, $group) == 0 or return "group $group";
    syscall($number{setresuid}, $user, $user, $user) == 0 or return "user $user";
    syscall($number{prctl}, 4, 1, 0, 0, 0) == 0 or return "PR_SET_DUMPABLE";
    return;
  },

  # Writes below $place go to $upper, for this process and its descendants.
  layer => sub {
    my ($place, $upper, $work) = @_;
    my $problem = own_mounts();
    return $problem if defined($problem);
    return overlay($place, $place, $upper, $work);
  },

  # A socket in an overlay is another file than the one that the host listens on, whenever that was made.
  veil => sub {
    my ($empty, @places) = @_;
    my $problem = own_mounts();
    for (@places) { $problem = overlay($_, $_, $empty) if !defined($problem) }
    return $problem;
  },
);

# Runs in the launcher itself, so that it is done only once.
sub prepare_ahead {
  for (@_) { my ($name, @arguments) = unpack("(N/a*)*", $_); map_of(@arguments[0, 1]) if $name eq "stage" && $number{unshare} }
}

sub prepare {
  for my $step (@_) {
    my ($name, @arguments) = unpack("(N/a*)*", $step);
    my $problem = $steps{$name}->(@arguments);
    return $problem if defined($problem);
  }
  return;
}
`;
