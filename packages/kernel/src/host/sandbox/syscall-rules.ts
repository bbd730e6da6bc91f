import type { SyscallName } from "../launcher/syscalls.ts";

/** Of one argument, counted from 0. */
export type Condition =
  | { readonly argument: number; readonly anyBit: number }
  | { readonly argument: number; readonly equals: number }
  | { readonly argument: number; readonly noneOf: readonly number[] };

/** A call that is refused, always or when all the conditions hold. */
export interface SyscallRule {
  readonly call: SyscallName;
  readonly when?: readonly Condition[];
  /** ENOSYS where programs then do without, as on an older kernel. */
  readonly answer: "EPERM" | "ENOSYS" | "EAFNOSUPPORT";
}

/** Set-user-id and set-group-id. */
const SET_ID = 0o6000;
/** O_CREAT and the bit of O_TMPFILE: without them open has no mode, and whatever stands in its place means nothing. */
const CREATES = 0o100 | 0o20000000;
/** CLONE_NEW… of namespaces. Of clone the lowest byte is a signal, so only unshare can ask for one of time. */
const NEW_TIME = 0x80;
const NEW_NAMESPACE = 0x7e02_0000;
/** Unix, IPv4, IPv6 and netlink. Others, such as AF_VSOCK, lead to the hypervisor or to hardware, whatever the network namespace. */
const FAMILIES = [1, 2, 10, 16];
/** Put words into the terminal of whoever started us. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const always = (answer: SyscallRule["answer"], ...calls: SyscallName[]): SyscallRule[] => calls.map((call) => ({ call, answer }));
const withSetId = (call: SyscallName, mode: number): SyscallRule => ({
  call,
  when: [{ argument: mode, anyBit: SET_ID }],
  answer: "EPERM",
});

/**
 * What a command in the sandbox is refused, beyond what it lacks the capability for. mkdir is not among them: the kernel itself
 * leaves out its set-id bits.
 */
export const SYSCALL_RULES: readonly SyscallRule[] = [
  // Reading and writing another process of the same user, its descriptors among it.
  ...always("EPERM", "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"),
  // Keyrings belong to the user, not to a namespace.
  ...always("EPERM", "keyctl", "add_key", "request_key"),
  // io_uring does by itself what is refused here as a call.
  ...always("ENOSYS", "io_uring_setup", "io_uring_enter", "io_uring_register"),
  ...always("EPERM", "userfaultfd", "bpf", "perf_event_open"),
  ...always("EPERM", "mount", "umount2", "pivot_root", "open_tree", "open_tree_attr", "move_mount", "mount_setattr"),
  ...always("EPERM", "fsopen", "fsconfig", "fsmount", "fspick", "open_by_handle_at"),
  ...always("EPERM", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
  // Their arguments are behind a pointer, where a filter cannot look.
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
