import type { RunAgents } from "../dispatch/run-agents.ts";

/** The input of a run: what the person said at first, or a specification instead of an interview. */
export interface CriticalityInput {
  /** The name of the project in questions, transcripts and cassettes, and the id of the change that is delivered. */
  readonly project: string;
  /** What the interview is about; null if nothing was said. */
  readonly idea: string | null;
  /** Digest of a given specification in the object store; null for an interview. */
  readonly spec_digest: string | null;
  /** The text of slipway/criticality.toml on the base branch; null if there is none. */
  readonly config_text: string | null;
  /** Project files that the repository has, by path. */
  readonly project_files: Readonly<Record<string, string>>;
  readonly skip_base_gates?: boolean;
  readonly agents?: RunAgents;
}
