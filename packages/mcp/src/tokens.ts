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
  /** The only feature that the bearer may use; null for any. */
  feature: text.nullable(),
  /** Valid only until this run ends; null for a token without a run. */
  run: text.nullable(),
  /** Other repositories refuse the token. */
  repository: text,
  issued_at: z.int(),
  expires_at: z.int(),
});

export type Claims = z.infer<typeof claimsSchema>;

const PAYLOAD_TYPE = "application/vnd.slipway.mcp-token+json";
/** The redactor recognises tokens by this prefix. */
const PREFIX = "slp_";

/** In the folder of the approval key, out of reach of agents. */
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

/** The claims of a token. Refuses a bad signature, another repository and an expired token. */
export function openToken(key: ApprovalKey, token: string, here: { readonly repository: string; readonly now: number }): Claims {
  const [, encoded = "", signature = ""] = /^slp_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(token) ?? [];
  const payload = Buffer.from(encoded, "base64url");
  if (encoded === "") throw unauthenticated("It is not a Slipway token.");
  // Verify before parsing.
  if (!key.verify(preAuthentication(PAYLOAD_TYPE, payload), Buffer.from(signature, "base64url"))) {
    throw unauthenticated("Its signature is invalid: the token was changed, or signed with another key.");
  }
  const parsed = parseStrictJson(payload.toString("utf8"));
  const claims = claimsSchema.safeParse(parsed.ok ? parsed.value : null);
  if (!claims.success) throw unauthenticated("It comes from another release of Slipway.");
  if (claims.data.repository !== here.repository) throw unauthenticated("It is for another repository.");
  if (claims.data.expires_at <= here.now) throw unauthenticated("It has expired.");
  return claims.data;
}

/** Identifies a repository in tokens by a digest of its path. */
export function repositoryName(root: string): string {
  return sha256(`slipway repository ${root}`).slice(0, 32);
}

/** The message must not contain the token. */
export function unauthenticated(reason: string): SlipwayError {
  return new SlipwayError("unauthenticated", `The token is not accepted. ${reason}`, {
    suggested_next_actions: ["Make a new token: `slipway mcp token --role ROLE`, and give it to the client."],
  });
}
