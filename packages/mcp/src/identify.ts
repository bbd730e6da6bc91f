import { isFinished } from "@slipway/durable/status";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { OpenedRepository } from "@slipway/kernel/open";
import { recordedRun } from "@slipway/kernel/record/runs";
import type { Environment } from "@slipway/kernel/host/places";
import type { Credential } from "@slipway/kernel/tools/credential";
import { openToken, openTokenKey, repositoryName, unauthenticated, type Claims } from "./tokens.ts";

/** Returns the credential of a token. Rejects with `unauthenticated`. */
export type Authenticate = (token: string | undefined) => Promise<Credential>;

/** `servedRun` restricts the server to one run; null means the whole repository. */
export async function openAuthenticator(
  opened: OpenedRepository,
  env: Environment,
  servedRun: string | null = null,
): Promise<Authenticate> {
  const { records } = opened;
  const { root } = records.layout;
  const key = await openTokenKey(root, env);
  const here = repositoryName(root);
  return async (token) => {
    if (token === undefined) throw unauthenticated("The request has none.");
    const claims = openToken(key, token, { repository: here, now: records.clock.now() });
    await assertOwnRun(opened, claims, servedRun);
    return { role: claims.role, actorId: claims.actor_id, feature: claims.feature };
  };
}

/** A token for a run is invalid for a feature of another run, and once the run has ended. */
async function assertOwnRun({ records }: OpenedRepository, { run, feature }: Claims, servedRun: string | null): Promise<void> {
  if (servedRun !== null && run !== servedRun) throw unauthenticated("It is for another run than this server serves.");
  if (run === null) return;
  const recorded = await recordedRun(records, run);
  if (recorded === null || isFinished(recorded.status)) throw unauthenticated("Its run has ended or does not exist.");
  if (feature === null) return;
  const owner = await recordedFeatures(records).ifAny(feature);
  if (owner !== undefined && rootOf(owner.run_id) !== rootOf(run)) throw unauthenticated("Its feature belongs to another run.");
}

/** Each feature of a run is a child run. */
function rootOf(runId: string): string {
  return runId.split("/")[0] ?? runId;
}
