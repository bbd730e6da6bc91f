import type { z } from "zod";
import type { ActorRole, Tool as ToolName } from "../config/rbac.ts";
import type { Call } from "../record/operations/call.ts";
import type { Kernel } from "../kernel.ts";

/** The caller, the operation id, and how to report progress. */
export interface ToolCall extends Call {
  /** Aborted when the caller no longer waits. */
  readonly signal: () => AbortSignal;
  readonly progress: (note: ProgressNote) => void;
}

export interface ProgressNote {
  readonly done: number;
  readonly total?: number;
  readonly message: string;
}

/** Present if a process ran or a log exists. */
export interface ToolEvidence {
  readonly log_path?: string;
  readonly log_paths?: readonly string[];
  readonly command?: readonly string[];
  readonly exit_code?: number | null;
  /** For example `stale_lock_reclaimed`, with the lock. */
  readonly notes?: readonly { readonly code: string; readonly message: string }[];
}

export interface ToolAnswer<O> {
  readonly data: O;
  readonly evidence?: ToolEvidence;
}

/** The caller of a tool of a protocol's own server, fixed when the server starts: its calls have no `actor_type` and no `actor_id`. */
export interface ToolCaller {
  /** Its name in the journal, unless the credential has one. */
  readonly id: string;
  /** Runs before the input is read. Throws to refuse the call. */
  readonly admit: (kernel: Kernel) => Promise<void>;
}

/**
 * One tool of the catalog. `input` omits the fields of every call (`actor_type`, `actor_id`; for mutating tools `operation_id` and
 * `expected_version`): the dispatcher adds, checks and strips them.
 */
export interface ToolDefinition<I, O> {
  readonly name: ToolName;
  readonly kind: "read" | "mutating";
  /** Only for a protocol's own tool: the roles that may call it. For the kernel's tools `policy.rbac` decides. */
  readonly roles?: readonly ActorRole[];
  /** Only for a tool of a protocol's own server. */
  readonly caller?: ToolCaller;
  readonly description: string;
  readonly input: z.ZodType<I>;
  readonly output: z.ZodType<O>;
  readonly call: (kernel: Kernel, input: I, call: ToolCall) => Promise<ToolAnswer<O>>;
}

/** A definition with erased types: the dispatcher only passes parsed input to it. */
export type AnyTool = ToolDefinition<never, unknown>;

export function tool<I, O>(definition: ToolDefinition<I, O>): AnyTool {
  return definition as unknown as AnyTool;
}
