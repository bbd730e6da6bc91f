import type { SpawnError } from "../launcher/protocol.ts";

/** What may run, what it may see, and what it may use. Paths are host paths unless said otherwise. */
export interface SandboxRequest {
  readonly worktree: string;
  /** Relative to the worktree, or absolute below it. */
  readonly cwd?: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly network?: boolean;
  /** Without `network`: the only hosts the command reaches, as host:port. Everything else, also by address, is not there. */
  readonly hosts?: readonly string[];
  /** More host paths shown read-only at their own place, such as a toolchain outside /usr. */
  readonly readOnly?: readonly string[];
  /** Host folders or files shown read-only inside the worktree, such as node_modules. */
  readonly shared?: readonly SharedPath[];
  /**
   * An absolute, empty host folder of the harness. With it the command reads the worktree and writes a layer over it: everything it
   * writes, removes or renames ends in `upper` of this folder, as overlayfs keeps it, and the worktree on the host stays as it is.
   * A mount point that the worktree lacks is left in `upper` as an empty folder or file. Needs a sandbox with `layers`.
   */
  readonly layer?: string;
  /** Host folders of the harness shown writable inside the worktree. Mount points: they can be neither removed nor replaced. */
  readonly outputs?: readonly SharedPath[];
  /** Folders of the worktree that can or cannot be written, unlike their parent; "." for the worktree itself, which can be. */
  readonly folders?: readonly FolderAccess[];
  /** hide: whatever git keeps in the worktree is out of sight, and stays so; the default. none: nothing of git is there. */
  readonly git?: "hide" | "none";
  /** A host folder that becomes HOME, writable and at its own place; one in memory unless told. */
  readonly home?: string;
  /** For stdin: a text, or what a stream brings as it comes. Without it stdin is empty. */
  readonly input?: string | ReadableStream<Uint8Array>;
  readonly limits?: Partial<Limits>;
  readonly timeoutMs: number;
  readonly onOutput?: (stream: OutputStream, chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** Between the polite SIGTERM and the SIGKILL; 2 s unless told. */
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
  /** Sum of resident memory; pages shared between processes count once per process. */
  readonly memoryBytes: number;
  readonly outputBytes: number;
  /** What the command may add to the worktree. Never more than half of what the disk has free. */
  readonly diskBytes: number;
  /** One file. */
  readonly fileBytes: number;
  /** Each of /tmp and HOME, which live in memory. */
  readonly tmpBytes: number;
  readonly openFiles: number;
}

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

export const DEFAULT_LIMITS: Limits = {
  processes: 512,
  memoryBytes: 8 * GiB,
  outputBytes: 64 * MiB,
  diskBytes: 4 * GiB,
  fileBytes: 2 * GiB,
  tmpBytes: GiB,
  openFiles: 16_384,
};

export const DEFAULT_KILL_GRACE_MS = 2_000;

export type LimitName = "processes" | "memory" | "output" | "disk";

export interface ProcessOutcome {
  /** Null when the command was stopped or never started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly limit: LimitName | null;
  readonly durationMs: number;
  readonly spawnError?: SpawnError;
  /** What was started, as it was found inside. */
  readonly program?: { readonly path: string; readonly interpreter: string | null };
}

export interface Sandbox {
  readonly kind: "bubblewrap" | "none";
  /** Whether a request may have a `layer`. */
  readonly layers?: boolean;
  /** The walls it does without, because the machine does not offer them. */
  readonly missing?: readonly string[];
  /** Who let commands run without a sandbox, and why. */
  readonly override?: SandboxOverride;
  run(request: SandboxRequest): Promise<ProcessOutcome>;
}

/** As evidence names it. */
export function sandboxName({ kind, missing = [] }: Sandbox): string {
  return missing.length === 0 ? kind : `${kind} without ${missing.join(", ")}`;
}

export interface SandboxOverride {
  readonly reason: string;
  readonly by: string;
}
