import type { CriticalityPhase } from "../routing/roles.ts";
import type { BlockType } from "./block.ts";

/** What an option does besides being recorded. */
export interface BlockOption {
  readonly id: string;
  readonly label: string;
  readonly implications: readonly string[];
  /** The phase to resume at; `prior` is the one that was blocked, null ends the run. */
  readonly resumeAt: CriticalityPhase | "prior" | null;
  /** Positions, in the reason's decisions, of those that the answer replaces. */
  readonly supersedes?: readonly number[];
}

const GIVE_UP: BlockOption = {
  id: "give_up",
  label: "End the run",
  implications: ["Nothing is delivered; what is recorded stays."],
  resumeAt: null,
};
const CLARIFY: BlockOption = {
  id: "clarify",
  label: "Explain more",
  implications: ["Your explanation is recorded, and the interview opens again with it."],
  resumeAt: "ignition",
};
const TO_LATTICE: BlockOption = {
  id: "return_to_lattice",
  label: "Return to Lattice with the defect report",
  implications: ["The structure is archived and generated again.", "All bodies written for it are discarded."],
  resumeAt: "lattice",
};

function again(label: string, implication: string): BlockOption {
  return { id: "retry", label, implications: [implication], resumeAt: "prior" };
}

export const BLOCK_OPTIONS: Readonly<Record<BlockType, readonly BlockOption[]>> = {
  canonical_conflict: [
    {
      id: "keep_a",
      label: "Keep A",
      implications: ["B is superseded and no longer enforced."],
      resumeAt: "prior",
      supersedes: [1],
    },
    {
      id: "keep_b",
      label: "Keep B",
      implications: ["A is superseded and no longer enforced."],
      resumeAt: "prior",
      supersedes: [0],
    },
    {
      id: "hybrid",
      label: "Replace both by a rule of your own",
      implications: ["A and B are superseded by what you write."],
      resumeAt: "prior",
      supersedes: [0, 1],
    },
    CLARIFY,
  ],
  unresolved_contradiction: [
    {
      id: "revise_spec",
      label: "Revise the specification",
      implications: ["The interview opens at the phase concerned.", "A new version of the specification is written."],
      resumeAt: "ignition",
    },
    {
      id: "decide",
      label: "Decide it here",
      implications: ["What you write is recorded as canonical, and the structure is generated again under it."],
      resumeAt: "lattice",
    },
    GIVE_UP,
  ],
  circuit_breaker: [
    {
      id: "retry_function",
      label: "Try the function again",
      implications: ["Its attempts start again at 1 with the worker."],
      resumeAt: "injection",
    },
    {
      id: "continue_others",
      label: "Continue with the other functions",
      implications: ["The function counts as failed and stays a hole.", "Injection cannot finish before it is resolved."],
      resumeAt: "injection",
    },
    TO_LATTICE,
    GIVE_UP,
  ],
  security_review: [
    again("Write the functions concerned again", "Their bodies are discarded."),
    {
      id: "accept_risk",
      label: "Accept the findings",
      implications: ["They are recorded as accepted by you and do not block again."],
      resumeAt: "prior",
    },
    TO_LATTICE,
    GIVE_UP,
  ],
  user_requested: [again("Continue", "The phase continues from its artifacts and the ledger."), GIVE_UP],
  archive_failure: [again("Archive again", "Correct the cause first: free space, permissions."), GIVE_UP],
  structural_defect: [
    again("Generate the structure again", "The repairs are counted from 1 again."),
    {
      id: "revise_spec",
      label: "Revise the specification",
      implications: ["The interview opens again.", "A new version of the specification is written."],
      resumeAt: "ignition",
    },
    GIVE_UP,
  ],
  provider_unavailable: [again("Try again", "Check `slipway doctor` first."), GIVE_UP],
  context_overflow: [
    again("Try again", "Choose a model with a larger context first."),
    {
      id: "revise_spec",
      label: "Split the specification",
      implications: ["The interview opens again.", "A new version of the specification is written."],
      resumeAt: "ignition",
    },
    GIVE_UP,
  ],
};
