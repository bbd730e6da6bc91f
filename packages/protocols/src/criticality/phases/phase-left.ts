import type { BlockReason } from "../machine/block.ts";

/** A model cannot be asked: its prompt is too long for every model, or no provider is available. */
export type AskingBlock = Extract<BlockReason, { type: "context_overflow" | "provider_unavailable" }>;

/** Thrown where several models are asked at the same time, so that the phase blocks once, at its own place. */
export class ModelBlocked extends Error {
  readonly reason: AskingBlock;

  constructor(reason: AskingBlock) {
    super(reason.message);
    this.reason = reason;
  }
}

/** A person's answer to a block has led the run to another phase: the work of the one that was blocked ends here. */
export class PhaseLeft extends Error {}
