import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "../../schema/errors.ts";
import type { Db, Tx } from "../database/tables.ts";
import { claimEntry, findEntry, outcomeOf, type LedgerEntry, type OperationOutcome, type OperationRequest } from "./ledger.ts";
import type { Owners } from "./owners.ts";

export interface ClaimTools {
  readonly db: Db;
  readonly clock: Clock;
  readonly owners: Owners;
  /** Runs in every write transaction; throws if this process may no longer write. */
  readonly fence: (tx: Tx) => Promise<void>;
  /** Runs a transaction. */
  readonly commit: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly waitMs: number;
}

const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 250;
/**
 * How long to wait before taking over from a process that cannot be inspected. Its late write is refused, because it has lost the claim.
 */
const UNKNOWN_OWNER_MS = 60_000;

/** Claims that this process is driving. An entry of this process with another claim comes from a failed attempt. */
const activeClaims = new Set<string>();

/** Runs `work` as the only driver of the operation, or returns the outcome recorded by another driver. */
export async function withClaim(
  tools: ClaimTools,
  request: OperationRequest,
  claim: string,
  work: (redriven: boolean) => Promise<OperationOutcome>,
): Promise<OperationOutcome> {
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
  request: OperationRequest,
  claim: string,
): Promise<{ readonly outcome: OperationOutcome } | { readonly redriven: boolean }> {
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

function isDriven({ owner, claim, started_at }: LedgerEntry, owners: Owners, now: number): boolean {
  if (owner === null || claim === null) return false;
  if (owner === owners.self) return activeClaims.has(claim);
  const state = owners.stateOf(owner);
  return state === "unknown" ? now - started_at < UNKNOWN_OWNER_MS : state === "alive";
}

function inProgress(request: OperationRequest, owner: string | null): SlipwayError {
  return new SlipwayError(
    "operation_in_progress",
    `Another process (${owner}) is still performing the operation "${request.id}" (${request.name}).`,
    {
      operation_id: request.id,
      owner,
      suggested_next_actions: ["Wait until it has finished, then repeat the call with the same operation id."],
    },
  );
}
