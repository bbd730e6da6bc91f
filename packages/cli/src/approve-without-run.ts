import { confirm, isCancel } from "@clack/prompts";
import { SlipwayError } from "@slipway/durable/errors";
import { issueApproval } from "@slipway/kernel/approvals/approvals";
import { openApprovalKey } from "@slipway/kernel/approvals/key";
import type { Candidate } from "@slipway/kernel/features/candidate";
import { openKernelAt } from "@slipway/kernel/open";
import type { Io } from "./io.ts";
import { personOf, placesOf } from "./places.ts";
import { plain } from "./render/plain.ts";

export interface GivenToken {
  readonly feature: string;
  readonly tree: string;
  readonly by: string;
  readonly token: string;
}

/**
 * A feature that MCP clients drive belongs to no run, so nothing asks. What would merge is worked out here, shown and signed;
 * the token goes to the person, who gives it to whoever calls feature.ready_to_merge. Null when the person says no.
 */
export async function approveWithoutRun(id: string, wanted: string | undefined, asks: boolean, io: Io): Promise<GivenToken | null> {
  const opened = await openKernelAt({ cwd: io.cwd, env: io.env });
  try {
    const { records } = opened;
    const by = personOf(io);
    const kernel = await opened.kernel();
    const call = { actor: { type: "system", id: by.id } as const, operationId: records.ids.next("candidate") };
    const candidate = await kernel.features.candidate(call, { feature_id: id });
    assertMergeable(candidate, wanted);
    if (asks && !(await agreed(candidate, io))) return null;
    const { change, tree, base, policy_hash: policyHash } = candidate;
    const key = await openApprovalKey({ configHome: placesOf(io).configHome, repositoryRoot: records.layout.root });
    const token = issueApproval(key, records.ids, { feature: id, change, tree, base, policyHash, by, at: Math.floor(records.clock.now()) });
    return { feature: id, tree, by: by.id, token };
  } finally {
    await opened.close();
  }
}

function assertMergeable({ feature_id, base_branch, conflicts, rebuilt, empty, tree }: Candidate, wanted: string | undefined): void {
  const refuse = (message: string, next: string) => {
    throw new SlipwayError("approval_invalid", message, { feature_id, conflicts, suggested_next_actions: [next] });
  };
  if (empty) refuse(`"${feature_id}" changes nothing that ${base_branch} does not have already.`, "There is nothing to merge.");
  if (conflicts.length > 0)
    refuse(`"${feature_id}" no longer fits on ${base_branch}: ${conflicts.join(", ")}.`, "Have the conflict resolved by a patch.");
  if (rebuilt)
    refuse(
      `${base_branch} has moved; "${feature_id}" now stands on it and has to be gated again.`,
      "Have gates.run repeated, then approve.",
    );
  if (wanted !== undefined && !tree.startsWith(wanted))
    refuse(
      `You asked to approve tree ${wanted}, but what would merge now is tree ${tree}.`,
      `Look at it again: \`slipway diff ${feature_id}\`.`,
    );
}

/** Never answered by Enter alone. */
async function agreed({ feature_id, tree, summary, flags }: Candidate, io: Io): Promise<boolean> {
  io.out(
    `${feature_id}\n${plain(summary).trimEnd()}\n${flags.map((flag) => `look at: ${plain(flag)}\n`).join("")}every line: slipway diff ${feature_id}\n`,
  );
  const yes = await confirm({ message: `Sign tree ${tree.slice(0, 10)} of ${feature_id}?`, initialValue: false });
  return !isCancel(yes) && yes;
}
