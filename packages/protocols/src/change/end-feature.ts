import { SlipwayError } from "@slipway/agents/errors";
import type { ErrorCode } from "@slipway/durable/errors";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";

/** Marks the feature failed, which releases its locks and its queue entry. False if it never began, was deleted or has already ended. */
export async function endFeature({ features }: Kernel, call: Call, feature_id: string, reason: string): Promise<boolean> {
  try {
    await features.changeStatus(call, { feature_id, to: "failed", reason });
    return true;
  } catch (error) {
    if (error instanceof SlipwayError && NOTHING_TO_END.has(error.code)) return false;
    throw error;
  }
}

const NOTHING_TO_END: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["feature_not_found", "invalid_status_transition"]);
