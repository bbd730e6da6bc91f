import { canonicalJson } from "@slipway/durable/canonical";
import { z } from "zod";
import type { ApprovalKey } from "./key.ts";
import { preAuthentication } from "./pae.ts";

const text = z.string().min(1);

export const approvalSchema = z.strictObject({
  id: text,
  feature: text,
  change: text,
  tree: text,
  base: text,
  policyHash: text,
  repository: text,
  message: text,
  by: text,
  at: z.int(),
  expiresAt: z.int(),
});

export type Approval = z.infer<typeof approvalSchema>;

const PAYLOAD_TYPE = "application/vnd.slipway.approval+json";

/** Payload and signature, in characters that are safe on a command line. */
export function sealApproval(key: ApprovalKey, approval: Approval): string {
  const payload = Buffer.from(canonicalJson(approval));
  const signature = key.sign(preAuthentication(PAYLOAD_TYPE, payload));
  return `${payload.toString("base64url")}.${Buffer.from(signature).toString("base64url")}`;
}

/** The content of a token without checking its signature; null if it is not a token. For display only, never for a decision. */
export function peekApproval(token: string): Approval | null {
  return parts(token)?.approval ?? null;
}

export function openApproval(key: ApprovalKey, token: string): Approval | "malformed" | "forged" {
  const opened = parts(token);
  if (opened === null) return "malformed";
  return key.verify(preAuthentication(PAYLOAD_TYPE, opened.payload), opened.signature) ? opened.approval : "forged";
}

function parts(token: string): { payload: Uint8Array; signature: Uint8Array; approval: Approval } | null {
  const match = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(token);
  const [payload, signature] = [match?.[1], match?.[2]].map((part) => Buffer.from(part ?? "", "base64url"));
  const approval = approvalSchema.safeParse(parseJson(payload?.toString("utf8") ?? ""));
  return payload !== undefined && signature !== undefined && approval.success ? { payload, signature, approval: approval.data } : null;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
