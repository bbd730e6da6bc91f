import { SlipwayError } from "./errors.ts";
import type { Kernel } from "@slipway/kernel/kernel";
import type { LockLease } from "@slipway/kernel/change/turn/locks/lease";
import type { RunLease } from "@slipway/kernel/record/run-lease/lease";

/** Renews the lease until `stop`; aborts `lost` if another process has taken over. */
export function keepLease(lease: RunLease): { readonly lost: AbortSignal; stop(): Promise<void> } {
  const lost = new AbortController();
  let beating: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    beating = lease.renew().catch((error: unknown) => {
      // Other errors may be transient, and the lease is renewed twice more before it expires.
      if (error instanceof SlipwayError && error.code === "lease_lost") lost.abort(error);
    });
  }, lease.ttlMs / 3);
  timer.unref();
  return {
    lost: lost.signal,
    async stop() {
      clearInterval(timer);
      await beating;
    },
  };
}

/** Renews the locks of a run's features while the run is driven. If a lock is lost anyway, blocks its feature. */
export function keepLocksOf(
  { features }: Kernel,
  lease: RunLease,
  runId: string,
  specs: readonly { readonly feature_id: string }[],
  warn: (text: string) => void,
): { stop(): Promise<void> } {
  const done = new AbortController();
  const block = ({ resource, holder, token }: LockLease, { message }: SlipwayError) =>
    features.changeStatus(
      { actor: { type: "system", id: "heartbeat" }, operationId: `${runId}/lost/${resource}/${token}` },
      { feature_id: holder, to: "blocked", reason: `the lock ${resource} was lost: ${message}` },
    );
  const renewal = features
    .keepLocks({
      features: () => specs.map(({ feature_id }) => feature_id),
      signal: done.signal,
      fence: (tx) => lease.assertHeld(tx),
      onLost: (lock, error) => void block(lock, error).catch((failure: unknown) => warn(`${error.message} ${String(failure)}`)),
    })
    .catch((error: unknown) => warn(`the locks of ${runId} are no longer renewed: ${String(error)}`));
  return {
    async stop() {
      done.abort();
      await renewal;
    },
  };
}
