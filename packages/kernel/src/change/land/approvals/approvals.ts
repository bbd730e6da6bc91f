import type { Ids } from "@slipway/durable/environment";
import { SlipwayError } from "../../../schema/errors.ts";
import type { Db, Tx } from "../../../record/database/tables.ts";
import { recordFact } from "../../../record/facts/collect.ts";
import { authorize, type Actor } from "../../../record/operations/operation.ts";
import { approvalHolds, type ApprovalCandidate } from "./holds.ts";
import type { ApprovalKey } from "./key.ts";
import { openApproval, sealApproval, type Approval } from "./token.ts";

export interface ApprovalRequest {
  readonly feature: string;
  readonly change: string;
  readonly tree: string;
  readonly base: string;
  readonly policyHash: string;
  readonly repository: string;
  readonly message: string;
  readonly by: Actor;
  readonly at: number;
  readonly expiresAt: number;
}

/** A person's approval as a token. Agents cannot issue one: they lack the role and the key. */
export function issueApproval(key: ApprovalKey, ids: Ids, { by, at, expiresAt, ...request }: ApprovalRequest): string {
  authorize({ name: "approval.issue", roles: ["person"] }, by);
  return sealApproval(key, {
    id: ids.next("approval"),
    ...request,
    by: by.id,
    at: Math.floor(at),
    expiresAt: Math.floor(expiresAt),
  });
}

/** The approval in a token, if it is authentic, unused and valid for exactly this candidate. Reads only. */
export async function readApproval(
  db: Db | Tx,
  key: ApprovalKey,
  token: string,
  candidate: ApprovalCandidate,
  now: number,
): Promise<Approval> {
  if (token === "") throw notApproved("missing", "No approval was given.");
  const approval = openApproval(key, token);
  if (approval === "malformed") throw notApproved(approval, "The approval token is malformed, or another version of Slipway made it.");
  if (approval === "forged") throw notApproved(approval, "The approval token was not signed with your key.");
  const holding = approvalHolds(approval, candidate, now);
  if (!holding.holds) throw notApproved(holding.rule, `The approval does not hold: ${holding.why}.`, approval);
  const used = await db.selectFrom("approvals").select("consumed_at").where("id", "=", approval.id).executeTakeFirst();
  if (used !== undefined) throw notApproved("used", "The approval has already been used.", approval);
  return approval;
}

/** Marks the approval as used, in the transaction that records the merge. */
export async function consumeApproval(
  tx: Tx,
  key: ApprovalKey,
  token: string,
  candidate: ApprovalCandidate,
  now: number,
): Promise<Approval> {
  const approval = await readApproval(tx, key, token, candidate, now);
  const { id, feature, change, tree, base, policyHash, by, at } = approval;
  const row = {
    id,
    feature_id: feature,
    change,
    tree,
    base,
    policy_hash: policyHash,
    approved_by: by,
    issued_at: at,
    consumed_at: now,
    token,
  };
  await tx.insertInto("approvals").values(row).execute();
  recordFact(tx, "approvals", id, row);
  return approval;
}

export function notApproved(reason: string, message: string, approval?: Approval): SlipwayError {
  return new SlipwayError("user_approval_required", message, {
    reason,
    ...(approval && { approval_id: approval.id, feature_id: approval.feature }),
    suggested_next_actions: ["Review the change with `slipway diff`, then approve it with `slipway approve`."],
  });
}
