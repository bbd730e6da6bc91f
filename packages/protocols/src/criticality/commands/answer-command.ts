import type { AskedQuestion } from "../../protocol.ts";

/** The kind of a block's question. A copy: the entry of a protocol loads nothing of its phases. */
export const BLOCK_QUESTION = "criticality_block";

/** `resolve` shows what each option implies. */
export function criticalityAnswerCommand({ kind }: AskedQuestion): string | null {
  return kind === BLOCK_QUESTION ? "slipway criticality resolve" : null;
}
