import type { PlayedForgeRole } from "../agents.ts";
import type { ReviewFocus, ReviewScope } from "../schemas/enums.ts";

interface Common<R extends PlayedForgeRole> {
  readonly role: R;
  /** Of the progress, such as `3b`. */
  readonly step: string;
  /** Unique among the dispatches of the role; part of the cassette's file name. */
  readonly instance: string;
  /** Added to the telemetry row. */
  readonly notes?: readonly string[];
}

/** One dispatch, by role, with what its agent is told besides the files of the run. */
export type Dispatch =
  | (Common<"researcher"> & { readonly focus: string; readonly more: string | null })
  | (Common<"spec"> & { readonly wishes: string | null })
  | (Common<"designer"> & { readonly round: number })
  | (Common<"planner"> & {
      /** Open findings of the design review. */
      readonly constraints: readonly string[];
      readonly feedback: string | null;
      /** For a replan: the tasks that failed, with their findings. */
      readonly failed: readonly { readonly task_id: string; readonly findings: readonly string[] }[];
    })
  | (Common<"implementer"> & {
      readonly task_id: string;
      readonly mode: "implement" | "fix" | "revert";
      readonly round: number;
      readonly findings: readonly string[];
      /** The seed's parameters of revert mode. */
      readonly revert?: { readonly mode: "revert"; readonly files_to_revert: readonly string[]; readonly baseline_tag: string };
    })
  | (Common<"verifier"> & { readonly task_id: string; readonly round: number; readonly size: "Standard" | "Large" })
  | (Common<"adversarial-reviewer"> & {
      readonly scope: ReviewScope;
      readonly focus: ReviewFocus;
      readonly round: number;
      readonly risk_level: "🟢" | "🟡" | "🔴";
      /** Without three models, the focus alone makes the difference. */
      readonly fallback: boolean;
    })
  | (Common<"knowledge-agent"> & { readonly confidence: string });

export type DispatchOf<R extends PlayedForgeRole> = Extract<Dispatch, { readonly role: R }>;
