/** The architectures whose system call numbers are known. */
export type SyscallTable = "x64" | "arm64";

/** Linux's numbers. `null` if the architecture lacks the call; programs then use the variant with "at" in its name. */
export const SYSCALLS = {
  add_key: { x64: 248, arm64: 217 },
  bpf: { x64: 321, arm64: 280 },
  chmod: { x64: 90, arm64: null },
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
  creat: { x64: 85, arm64: null },
  delete_module: { x64: 176, arm64: 106 },
  fchmod: { x64: 91, arm64: 52 },
  fchmodat: { x64: 268, arm64: 53 },
  fchmodat2: { x64: 452, arm64: 452 },
  finit_module: { x64: 313, arm64: 273 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fsopen: { x64: 430, arm64: 430 },
  fspick: { x64: 433, arm64: 433 },
  init_module: { x64: 175, arm64: 105 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  io_uring_setup: { x64: 425, arm64: 425 },
  ioctl: { x64: 16, arm64: 29 },
  kcmp: { x64: 312, arm64: 272 },
  kexec_file_load: { x64: 320, arm64: 294 },
  kexec_load: { x64: 246, arm64: 104 },
  keyctl: { x64: 250, arm64: 219 },
  memfd_create: { x64: 319, arm64: 279 },
  memfd_secret: { x64: 447, arm64: 447 },
  mknod: { x64: 133, arm64: null },
  mknodat: { x64: 259, arm64: 33 },
  mount: { x64: 165, arm64: 40 },
  mount_setattr: { x64: 442, arm64: 442 },
  move_mount: { x64: 429, arm64: 429 },
  open: { x64: 2, arm64: null },
  open_by_handle_at: { x64: 304, arm64: 265 },
  open_tree: { x64: 428, arm64: 428 },
  open_tree_attr: { x64: 467, arm64: 467 },
  openat: { x64: 257, arm64: 56 },
  openat2: { x64: 437, arm64: 437 },
  perf_event_open: { x64: 298, arm64: 241 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  pivot_root: { x64: 155, arm64: 41 },
  prctl: { x64: 157, arm64: 167 },
  prlimit64: { x64: 302, arm64: 261 },
  process_madvise: { x64: 440, arm64: 440 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  ptrace: { x64: 101, arm64: 117 },
  request_key: { x64: 249, arm64: 218 },
  setgroups: { x64: 116, arm64: 159 },
  setns: { x64: 308, arm64: 268 },
  setresgid: { x64: 119, arm64: 149 },
  setresuid: { x64: 117, arm64: 147 },
  setsid: { x64: 112, arm64: 157 },
  shmget: { x64: 29, arm64: 194 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  umount2: { x64: 166, arm64: 39 },
  unshare: { x64: 272, arm64: 97 },
  userfaultfd: { x64: 323, arm64: 282 },
} as const satisfies Record<string, Record<SyscallTable, number | null>>;

export type SyscallName = keyof typeof SYSCALLS;

/** Null for an unknown architecture. */
export function machineOf(arch: string): SyscallTable | null {
  return arch === "x64" || arch === "arm64" ? arch : null;
}

/** A Perl hash of the numbers by name. */
export function perlNumbers(machine: SyscallTable): string {
  const pairs = Object.entries(SYSCALLS).flatMap(([name, { [machine]: number }]) => (number === null ? [] : [`${name} => ${number}`]));
  return `(${pairs.join(", ")})`;
}
