import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "@slipway/durable/errors";
import type { Db, Tx } from "../database/tables.ts";
import { claimEntry, findEntry, outcomeOf, type Entry, type Outcome, type Request } from "./ledger.ts";
import type { Owners } from "./owners.ts";

export interface ClaimTools {
  readonly db: Db;
  readonly clock: Clock;
  readonly owners: Owners;
  /** Inside every transaction that writes: throws when this process may not write any more. */
  readonly fence: (tx: Tx) => Promise<void>;
  /** Carries out a transaction. */
  readonly commit: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly waitMs: number;
}

const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 250;
/** How long an attempt of a process that cannot be examined is left alone. Its late write would be refused: the claim is no longer its own. */
const UNKNOWN_OWNER_MS = 60_000;

/** Claims being driven by this process: an entry of ours whose claim is not here was left behind by a failed attempt. */
const activeClaims = new Set<string>();

/** Runs `work` as the only driver of the operation, or returns how the operation ended for somebody else. */
export async function withClaim(
  tools: ClaimTools,
  request: Request,
  claim: string,
  work: (redriven: boolean) => Promise<Outcome>,
): Promise<Outcome> {
  activeClaims.add(claim);
  try {
    const started = await claimOrWait(tools, request, claim);
    return "outcome" in started ? started.outcome : await work(started.redriven);
  } finally {
    activeClaims.delete(claim);
  }
}

async function claimOrWait(
  tools: ClaimTools,
  request: Request,
  claim: string,
): Promise<{ readonly outcome: Outcome } | { readonly redriven: boolean }> {
  const { clock, owners, sleep } = tools;
  const deadline = clock.monotonic() + tools.waitMs;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
    const attempt = await tools.commit(async (tx) => {
      const entry = await findEntry(tx, request);
      const outcome = entry && outcomeOf(entry);
      if (outcome !== undefined) return { outcome };
      if (entry !== undefined && isDriven(entry, owners, clock.now())) return { busy: entry.owner };
      await tools.fence(tx);
      await claimEntry(tx, request, claim, owners.self);
      return { redriven: entry !== undefined };
    });
    if (!("busy" in attempt)) return attempt;
    if (clock.monotonic() >= deadline) throw inProgress(request, attempt.busy);
    await sleep(pollMs);
  }
}

function isDriven({ owner, claim, started_at }: Entry, owners: Owners, now: number): boolean {
  if (owner === null || claim === null) return false;
  if (owner === owners.self) return activeClaims.has(claim);
  const state = owners.stateOf(owner);
  return state === "unknown" ? now - started_at < UNKNOWN_OWNER_MS : state === "alive";
}

function inProgress(request: Request, owner: string | null): SlipwayError {
  return new SlipwayError(
    "operation_in_progress",
    `Another process (${owner}) is still carrying out the operation "${request.id}" (${request.name}).`,
    {
      operation_id: request.id,
      owner,
      suggested_next_actions: ["Wait for it to finish and repeat the call with the same operation id."],
    },
  );
}
