import type { HostTraffic } from "./egress.ts";
import type { SpawnError } from "../launcher/protocol.ts";

/** A command, what it may see and what it may use. Paths are host paths unless stated otherwise. */
export interface SandboxRequest {
  readonly worktree: string;
  /** Relative to the worktree, or absolute below it. */
  readonly cwd?: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly network?: boolean;
  /** Without `network`: the only hosts that the command can reach, as host:port. Nothing else is reachable, not even by address. */
  readonly hosts?: readonly string[];
  /** Further host paths, mounted read-only at the same path, such as a toolchain outside /usr. */
  readonly readOnly?: readonly string[];
  /** Host folders or files, mounted read-only inside the worktree, such as node_modules. */
  readonly shared?: readonly SharedPath[];
  /**
   * An absolute, empty host folder of the harness. With it the command reads the worktree and writes to an overlay: everything it
   * writes, removes or renames goes to `upper` of this folder, in the format of overlayfs, and the worktree on the host does not change.
   * A mount point that the worktree lacks stays in `upper` as an empty folder or file. Needs a sandbox with `layers`.
   */
  readonly layer?: string;
  /** Host folders of the harness, mounted writable inside the worktree. As mount points they can be neither removed nor replaced. */
  readonly outputs?: readonly SharedPath[];
  /** Folders of the worktree whose write access differs from their parent; "." is the worktree, which is writable by default. */
  readonly folders?: readonly FolderAccess[];
  /** hide (the default): the worktree's .git is hidden. none: the worktree has no .git. */
  readonly git?: "hide" | "none";
  /** A temporary host folder that becomes HOME, writable and at the same path; removed if Slipway is killed. By default a tmpfs. */
  readonly home?: string;
  /** Stdin: a text or a stream. By default stdin is empty. */
  readonly input?: string | ReadableStream<Uint8Array>;
  readonly limits?: Partial<Limits>;
  readonly timeoutMs: number;
  readonly onOutput?: (stream: OutputStream, chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** Time between SIGTERM and SIGKILL; 2 s by default. */
  readonly killGraceMs?: number;
}

export interface SharedPath {
  readonly from: string;
  readonly to: string;
}

export interface FolderAccess {
  /** Relative to the worktree. */
  readonly path: string;
  readonly writable: boolean;
}

export type OutputStream = "stdout" | "stderr";

export interface Limits {
  readonly processes: number;
  /** Of all processes together. */
  readonly threads: number;
  /** Resident memory of all processes, where shared pages count once per process, and the files of /tmp and the like in memory. */
  readonly memoryBytes: number;
  readonly outputBytes: number;
  /** Bytes that the command may add to the worktree; at most half of the free disk space. */
  readonly diskBytes: number;
  /** Files and folders that the command may add there. */
  readonly files: number;
  /** One file. */
  readonly fileBytes: number;
  /** Each of /tmp, /var/tmp, /dev/shm and HOME, which live in memory; they count as memory too. */
  readonly tmpBytes: number;
  readonly openFiles: number;
}

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

export const DEFAULT_LIMITS: Limits = {
  processes: 512,
  threads: 4096,
  memoryBytes: 8 * GiB,
  outputBytes: 64 * MiB,
  diskBytes: 4 * GiB,
  files: 1_000_000,
  fileBytes: 2 * GiB,
  tmpBytes: GiB,
  openFiles: 16_384,
};

export const DEFAULT_KILL_GRACE_MS = 2_000;

export type LimitName = "processes" | "threads" | "memory" | "output" | "disk" | "files";

export interface ProcessOutcome {
  /** Null if the command was stopped or never started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly limit: LimitName | null;
  readonly durationMs: number;
  readonly spawnError?: SpawnError;
  /** Of a command with `hosts`. */
  readonly traffic?: readonly HostTraffic[];
  /** The started program, by its path inside the sandbox. */
  readonly program?: { readonly path: string; readonly interpreter: string | null };
}

export interface Sandbox {
  readonly kind: "bubblewrap" | "none";
  /** Whether a request may have a `layer`. */
  readonly layers?: boolean;
  /** Whether the kernel keeps the limits on memory and threads, by control groups; otherwise they are only counted from outside. */
  readonly controlGroups?: boolean;
  /** The protections that this machine does not support. */
  readonly missing?: readonly string[];
  /** Who allowed commands without a sandbox, and why. */
  readonly override?: SandboxOverride;
  run(request: SandboxRequest): Promise<ProcessOutcome>;
}

/** The name of the sandbox in evidence. */
export function sandboxName({ kind, missing = [] }: Sandbox): string {
  return missing.length === 0 ? kind : `${kind} without ${missing.join(", ")}`;
}

export interface SandboxOverride {
  readonly reason: string;
  readonly by: string;
}
