import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import type { Clock, Ids } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import { openSigningKey, type ApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import { preAuthentication } from "@slipway/kernel/change/land/approvals/pae";
import { parseStrictJson } from "@slipway/kernel/schema/json";
import { ACTOR_ROLES, type ActorRole } from "@slipway/kernel/config/rbac";
import { placesIn, type Environment } from "@slipway/kernel/host/places";
import { z } from "zod";

const text = z.string().min(1);

export const claimsSchema = z.strictObject({
  id: text,
  role: z.enum(ACTOR_ROLES),
  actor_id: text,
  /** The only feature its bearer may touch; null for any. */
  feature: text.nullable(),
  /** Good only while this run goes on; null where no run is meant. */
  run: text.nullable(),
  /** Whose repository; another one refuses it. */
  repository: text,
  issued_at: z.int(),
  expires_at: z.int(),
});

export type Claims = z.infer<typeof claimsSchema>;

const PAYLOAD_TYPE = "application/vnd.slipway.mcp-token+json";
/** So that a token is known for one wherever it turns up; the redactor looks for it. */
const PREFIX = "slp_";

/** Beside the approval key, and as far from agents. */
export function openTokenKey(root: string, env: Environment): Promise<ApprovalKey> {
  return openSigningKey({ configHome: placesIn(env).configHome, repositoryRoot: root }, "mcp-token.pem");
}

export interface TokenWish {
  readonly role: ActorRole;
  readonly actorId: string;
  readonly feature: string | null;
  readonly run: string | null;
  readonly lifetimeMs: number;
}

export function issueToken(
  { key, root, clock, ids }: { readonly key: ApprovalKey; readonly root: string; readonly clock: Clock; readonly ids: Ids },
  { role, actorId, feature, run, lifetimeMs }: TokenWish,
): { readonly token: string; readonly claims: Claims } {
  const now = Math.floor(clock.now());
  const claims: Claims = {
    id: ids.next("token"),
    role,
    actor_id: actorId,
    feature,
    run,
    repository: repositoryName(root),
    issued_at: now,
    expires_at: now + lifetimeMs,
  };
  return { token: sealToken(key, claims), claims };
}

export function sealToken(key: ApprovalKey, claims: Claims): string {
  const payload = Buffer.from(canonicalJson(claims));
  const signature = key.sign(preAuthentication(PAYLOAD_TYPE, payload));
  return `${PREFIX}${payload.toString("base64url")}.${Buffer.from(signature).toString("base64url")}`;
}

/** The claims of a token that was signed here, for this repository, and has not run out. */
export function openToken(key: ApprovalKey, token: string, here: { readonly repository: string; readonly now: number }): Claims {
  const [, encoded = "", signature = ""] = /^slp_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(token) ?? [];
  const payload = Buffer.from(encoded, "base64url");
  if (encoded === "") throw unauthenticated("It is not one of Slipway's tokens.");
  // Before anything of it is read.
  if (!key.verify(preAuthentication(PAYLOAD_TYPE, payload), Buffer.from(signature, "base64url"))) {
    throw unauthenticated("Its signature is not good: it was changed, or signed elsewhere.");
  }
  const parsed = parseStrictJson(payload.toString("utf8"));
  const claims = claimsSchema.safeParse(parsed.ok ? parsed.value : null);
  if (!claims.success) throw unauthenticated("It was made by another release of Slipway.");
  if (claims.data.repository !== here.repository) throw unauthenticated("It was made for another repository.");
  if (claims.data.expires_at <= here.now) throw unauthenticated("It has run out.");
  return claims.data;
}

/** How tokens name a repository: where it is, without telling. */
export function repositoryName(root: string): string {
  return sha256(`slipway repository ${root}`).slice(0, 32);
}

/** Says why, and never what the token was. */
export function unauthenticated(reason: string): SlipwayError {
  return new SlipwayError("unauthenticated", `The token is not accepted. ${reason}`, {
    suggested_next_actions: ["Make a new token: `slipway mcp token --role ROLE`, and give it to the client."],
  });
}
