import { confirm, isCancel } from "./terminal/prompts.ts";
import { SlipwayError } from "./errors.ts";
import type { Candidate } from "@slipway/kernel/change/land/candidate";
import { signCandidate } from "./give-approval.ts";
import { findingsText } from "@slipway/protocols/change/findings-text";
import { messageText } from "./message-text.ts";
import { askTrustOf } from "./trust/ask.ts";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Io } from "@slipway/protocols/surface/io";
import { withKernel } from "@slipway/runtime/kernel-at";
import { personOf } from "@slipway/protocols/surface/caller";

export interface GivenToken {
  readonly feature: string;
  readonly tree: string;
  readonly by: string;
  readonly until: string;
  readonly message: string;
  readonly strategy: Candidate["strategy"];
  /** What the approver should look at, and what the specification asked for. */
  readonly flags: readonly string[];
  readonly notes: readonly string[];
  readonly token: string;
}

/**
 * A feature that MCP clients drive has no run that could ask for the approval. This computes the candidate, shows it and signs it. The
 * person passes the token to the client that calls feature.ready_to_merge. Null if the person declines.
 */
export function approveWithoutRun(id: string, wanted: string | undefined, asks: boolean, io: Io): Promise<GivenToken | null> {
  const sign = async ({ features, records }: Kernel) => {
    const call = { actor: { type: "system", id: personOf(io).id } as const, operationId: records.ids.next("candidate") };
    const candidate = await features.candidate(call, { feature_id: id, ...(await features.mergeProposal(id)) });
    assertFits(candidate);
    // Check after building the candidate: if the base has moved, the candidate is on the new base and must be gated there.
    await features.assertReady(id);
    if (asks && !(await agreed(candidate, io))) return null;
    const { message, strategy, flags, notes } = candidate;
    return { feature: id, message, strategy, flags, notes, ...(await signCandidate(records, candidate, io, wanted)) };
  };
  return withKernel(io, sign, askTrustOf(io, !asks));
}

function assertFits({ feature_id, base_branch, conflicts, empty }: Candidate): void {
  const refuse = (message: string, next: string) => {
    throw new SlipwayError("approval_invalid", message, { feature_id, conflicts, suggested_next_actions: [next] });
  };
  if (empty) refuse(`"${feature_id}" has no change that is not already on ${base_branch}.`, "Nothing to merge.");
  if (conflicts.length > 0)
    refuse(`"${feature_id}" conflicts with ${base_branch}: ${conflicts.join(", ")}.`, "Resolve the conflict with a patch.");
}

/** The default is no, so that Enter alone signs nothing. */
async function agreed(candidate: Candidate, io: Io): Promise<boolean> {
  const { feature_id, tree, summary } = candidate;
  io.out(`${feature_id}\n${summary.trimEnd()}\n${findingsText(candidate)}${messageText(candidate)}full diff: slipway diff ${feature_id}\n`);
  const yes = await confirm({ message: `Sign tree ${tree.slice(0, 10)} of ${feature_id}?`, initialValue: false });
  return !isCancel(yes) && yes;
}
