import { isFinished } from "@slipway/durable/status";
import { recordedFeatures } from "@slipway/kernel/change/feature/recorded-features";
import type { OpenedRepository } from "@slipway/kernel/open";
import { recordedRun } from "@slipway/kernel/record/runs";
import type { Environment } from "@slipway/kernel/host/places";
import type { Credential } from "@slipway/kernel/tools/credential";
import { openToken, openTokenKey, repositoryName, unauthenticated, type Claims } from "./tokens.ts";

/** Whose token this is. Rejects with `unauthenticated`, before anything was done for the caller. */
export type Registrar = (token: string | undefined) => Promise<Credential>;

/** `servedRun` is the one run this server is for; null when it is for the repository. */
export async function openRegistrar(opened: OpenedRepository, env: Environment, servedRun: string | null = null): Promise<Registrar> {
  const { records } = opened;
  const { root } = records.layout;
  const key = await openTokenKey(root, env);
  const here = repositoryName(root);
  return async (token) => {
    if (token === undefined) throw unauthenticated("There is none.");
    const claims = openToken(key, token, { repository: here, now: records.clock.now() });
    await assertOwnRun(opened, claims, servedRun);
    return { role: claims.role, actorId: claims.actor_id, feature: claims.feature };
  };
}

/** A token made for a run is worth nothing outside it: not for another run's feature, nor once the run is over. */
async function assertOwnRun({ records }: OpenedRepository, { run, feature }: Claims, servedRun: string | null): Promise<void> {
  if (servedRun !== null && run !== servedRun) throw unauthenticated("It was made for another run than this server serves.");
  if (run === null) return;
  const recorded = await recordedRun(records, run);
  if (recorded === null || isFinished(recorded.status)) throw unauthenticated("The run it was made for is over, or was never here.");
  if (feature === null) return;
  const owner = await recordedFeatures(records).ifAny(feature);
  if (owner !== undefined && rootOf(owner.run_id) !== rootOf(run)) throw unauthenticated("Its feature belongs to another run.");
}

/** Every feature of a run is a run of its own below it. */
function rootOf(runId: string): string {
  return runId.split("/")[0] ?? runId;
}
