import type { SyscallName } from "../launcher/syscalls.ts";

/** A condition on one argument, counted from 0: on its low 32 bits, or on its high ones. */
export type Condition =
  | { readonly argument: number; readonly anyBit: number }
  | { readonly argument: number; readonly anyHighBit: number }
  | { readonly argument: number; readonly equals: number }
  | { readonly argument: number; readonly noneOf: readonly number[] };

/** A call that is refused, always or if all conditions hold. */
export interface SyscallRule {
  readonly call: SyscallName;
  readonly when?: readonly Condition[];
  /** ENOSYS makes programs fall back, as on an older kernel. */
  readonly answer: "EPERM" | "ENOSYS" | "EAFNOSUPPORT" | "EINVAL";
}

/** Set-user-id and set-group-id. */
const SET_ID = 0o6000;
/** O_CREAT and the bit of O_TMPFILE: without them open has no mode, and the argument is meaningless. */
const CREATES = 0o100 | 0o20000000;
/** CLONE_NEW… flags. The lowest byte of clone's flags is a signal, so only unshare can request a time namespace. */
const NEW_TIME = 0x80;
const NEW_NAMESPACE = 0x7e02_0000;
/** Unix, IPv4, IPv6 and netlink. Others, such as AF_VSOCK, bypass the network namespace to the hypervisor or hardware. */
const FAMILIES = [1, 2, 10, 16];
/** 64 KiB and more; a namespace may have 4096 segments. */
const LARGE_SEGMENT = 0xffff_0000;
/** Injects input into the terminal that started Slipway. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const always = (answer: SyscallRule["answer"], ...calls: SyscallName[]): SyscallRule[] => calls.map((call) => ({ call, answer }));
const withSetId = (call: SyscallName, mode: number): SyscallRule => ({
  call,
  when: [{ argument: mode, anyBit: SET_ID }],
  answer: "EPERM",
});

/**
 * System calls that the sandbox refuses, in addition to those without capability. mkdir is not included: the kernel itself
 * ignores its set-id bits.
 */
export const SYSCALL_RULES: readonly SyscallRule[] = [
  // Access to memory and descriptors of other processes of the same user.
  ...always("EPERM", "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"),
  // Keyrings belong to the user, not to a namespace.
  ...always("EPERM", "keyctl", "add_key", "request_key"),
  // io_uring could perform operations that are refused here as system calls.
  ...always("ENOSYS", "io_uring_setup", "io_uring_enter", "io_uring_register"),
  ...always("EPERM", "userfaultfd", "bpf", "perf_event_open"),
  ...always("EPERM", "mount", "umount2", "pivot_root", "open_tree", "open_tree_attr", "move_mount", "mount_setattr"),
  ...always("EPERM", "fsopen", "fsconfig", "fsmount", "fspick", "open_by_handle_at"),
  ...always("EPERM", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
  // Memory that no process has mapped and no file system shows: a descriptor of it can wait in a socket, where nobody can count it.
  ...always("ENOSYS", "memfd_create", "memfd_secret"),
  { call: "shmget", when: [{ argument: 1, anyBit: LARGE_SEGMENT }], answer: "EINVAL" },
  { call: "shmget", when: [{ argument: 1, anyHighBit: 0xffff_ffff }], answer: "EINVAL" },
  // Their arguments are behind a pointer, which a filter cannot read.
  ...always("ENOSYS", "clone3", "openat2"),
  ...always("EPERM", "setns"),
  { call: "clone", when: [{ argument: 0, anyBit: NEW_NAMESPACE }], answer: "EPERM" },
  { call: "unshare", when: [{ argument: 0, anyBit: NEW_NAMESPACE | NEW_TIME }], answer: "EPERM" },
  { call: "socket", when: [{ argument: 0, noneOf: FAMILIES }], answer: "EAFNOSUPPORT" },
  { call: "socketpair", when: [{ argument: 0, noneOf: FAMILIES }], answer: "EAFNOSUPPORT" },
  { call: "ioctl", when: [{ argument: 1, equals: TIOCSTI }], answer: "EPERM" },
  { call: "ioctl", when: [{ argument: 1, equals: TIOCLINUX }], answer: "EPERM" },
  withSetId("chmod", 1),
  withSetId("fchmod", 1),
  withSetId("fchmodat", 2),
  withSetId("fchmodat2", 2),
  withSetId("mknod", 1),
  withSetId("mknodat", 2),
  withSetId("creat", 1),
  {
    call: "open",
    when: [
      { argument: 1, anyBit: CREATES },
      { argument: 2, anyBit: SET_ID },
    ],
    answer: "EPERM",
  },
  {
    call: "openat",
    when: [
      { argument: 2, anyBit: CREATES },
      { argument: 3, anyBit: SET_ID },
    ],
    answer: "EPERM",
  },
];
