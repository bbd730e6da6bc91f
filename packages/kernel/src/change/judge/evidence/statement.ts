import { canonicalJson } from "@slipway/durable/canonical";
import { SlipwayError } from "../../../schema/errors.ts";
import { z } from "zod";
import type { ApprovalKey } from "../../land/approvals/key.ts";
import { preAuthentication } from "../../land/approvals/pae.ts";
import type { EvidenceBundle } from "./bundle.ts";

const STATEMENT = "https://in-toto.io/Statement/v1";
export const PREDICATE = "https://slipway.dev/evidence/v1";
const PAYLOAD_TYPE = "application/vnd.in-toto+json";

const statementSchema = z.object({
  _type: z.literal(STATEMENT),
  subject: z.array(z.object({ name: z.string(), digest: z.record(z.string(), z.string()) })),
  predicateType: z.literal(PREDICATE),
  predicate: z.record(z.string(), z.unknown()),
});

/** An in-toto Statement v1 about a merge. */
export type Statement = z.infer<typeof statementSchema>;

const envelopeSchema = z.object({
  payloadType: z.literal(PAYLOAD_TYPE),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.base64() })).min(1),
});

/** A DSSE envelope. */
export type StatementEnvelope = z.infer<typeof envelopeSchema>;

export function evidenceStatement({ feature, merge, approval, checks, totals, egress, journal }: EvidenceBundle): Statement {
  if (merge === null) {
    throw new SlipwayError("merge_failed", `"${feature.id}" is not merged, so there is no statement to make.`, {
      feature_id: feature.id,
      suggested_next_actions: ["Merge it first; until then run `slipway evidence` to see its checks."],
    });
  }
  return {
    _type: STATEMENT,
    subject: [
      { name: "commit", digest: { gitCommit: merge.commit } },
      { name: "tree", digest: { gitTree: merge.tree } },
    ],
    predicateType: PREDICATE,
    predicate: {
      feature: feature.id,
      run: feature.run_id,
      ...(feature.deleted === undefined ? {} : { deleted_at: feature.deleted.at }),
      change: { digest: { sha256: merge.change }, base: merge.base_before, branch: merge.base_branch, strategy: merge.strategy },
      approval,
      checks: checks.map(({ name, kind, tree, status, exit_code, counts, log_digest, produced_by, at, ...former }) => ({
        name,
        kind,
        tree,
        status,
        exit_code,
        counts,
        log_digest,
        produced_by,
        at,
        ...(former.recorded_before_facts_were_signed && { recorded_before_facts_were_signed: true }),
      })),
      agents: totals,
      egress,
      journal,
    },
  };
}

export function signStatement(key: ApprovalKey, statement: Statement): StatementEnvelope {
  const payload = Buffer.from(canonicalJson(statement));
  const sig = Buffer.from(key.sign(preAuthentication(PAYLOAD_TYPE, payload))).toString("base64");
  return { payloadType: PAYLOAD_TYPE, payload: payload.toString("base64"), signatures: [{ keyid: key.id, sig }] };
}

/** Verifies the signature and returns the statement. */
export function openEnvelope(key: Pick<ApprovalKey, "id" | "verify">, envelope: unknown): Statement {
  const parsed = envelopeSchema.safeParse(envelope);
  const statement = parsed.success ? verified(key, parsed.data) : null;
  if (statement !== null) return statement;
  throw new SlipwayError("approval_invalid", "The evidence is not signed with this key, or it was changed after signing.", {
    key_id: key.id,
    suggested_next_actions: ["Verify it with the signer's public key."],
  });
}

function verified(key: Pick<ApprovalKey, "id" | "verify">, { payload, signatures }: StatementEnvelope): Statement | null {
  const bytes = Buffer.from(payload, "base64");
  const signed = preAuthentication(PAYLOAD_TYPE, bytes);
  const genuine = signatures.some(({ keyid, sig }) => keyid === key.id && key.verify(signed, Buffer.from(sig, "base64")));
  return genuine ? statementSchema.parse(JSON.parse(bytes.toString("utf8"))) : null;
}
