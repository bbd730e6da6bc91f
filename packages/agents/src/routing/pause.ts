import { createHash } from "node:crypto";
import type { Failure } from "@slipway/durable/errors";

/** What to do before the call is repeated; null if the failure is the worker's own. */
export type Pause =
  | { readonly kind: "wait"; readonly ms: number }
  /** The end is unknown. */
  | { readonly kind: "ask" }
  | { readonly kind: "budget" }
  /** A person or tool answers later. */
  | { readonly kind: "hand" };

const SHORTEST_MS = 1_000;
const LONGEST_MS = 8 * 24 * 3_600_000;
const FIRST_BACKOFF_MS = 15_000;
const MAX_BACKOFF_MS = 15 * 60_000;
const JITTER = 0.25;
/** A limit that remains after this many pauses does not pass by itself. */
const MAX_PAUSES = 20;
const FIRST_OUTAGE_MS = 2_000;
const MAX_OUTAGE_MS = 5 * 60_000;

/** What the pauses of one invocation depend on. */
export interface PauseFacts {
  /** Counts the pauses since a person was asked last, from 1. */
  readonly round: number;
  /** Spreads the retries of several waiting calls, deterministically. */
  readonly seed: string;
  readonly now: number;
  /** How long a provider that cannot be reached is waited for. */
  readonly outageMs: number;
}

/** Waits until the time the provider states, or else longer each time. */
export function pauseFor({ code, details }: Failure, { round, seed, now, outageMs }: PauseFacts): Pause | null {
  // From a provider it names no budget of ours: the call reached its own limit and failed.
  if (code === "budget_exceeded") return details["dimension"] === undefined ? null : { kind: "budget" };
  if (code === "answer_pending") return { kind: "hand" };
  if (code === "provider_unavailable") {
    const waited = Array.from({ length: round - 1 }, (_, index) => outageWait(index + 1)).reduce((sum, ms) => sum + ms, 0);
    return waited >= outageMs ? { kind: "ask" } : { kind: "wait", ms: spread(outageWait(round), round, seed) };
  }
  if (code !== "rate_limited" && code !== "quota_exhausted") return null;
  if (round > MAX_PAUSES) return { kind: "ask" };
  const wakeAt = details["wake_at"];
  if (typeof wakeAt === "number") return { kind: "wait", ms: Math.min(Math.max(wakeAt - now, SHORTEST_MS), LONGEST_MS) };
  return code === "quota_exhausted"
    ? { kind: "ask" }
    : { kind: "wait", ms: spread(Math.min(FIRST_BACKOFF_MS * 2 ** (round - 1), MAX_BACKOFF_MS), round, seed) };
}

function outageWait(round: number): number {
  return Math.min(FIRST_OUTAGE_MS * 2 ** (round - 1), MAX_OUTAGE_MS);
}

function spread(whole: number, round: number, seed: string): number {
  const share = createHash("sha256").update(`${seed} ${round}`).digest().readUInt32BE(0) / 2 ** 32;
  return Math.round(whole * (1 + JITTER * (2 * share - 1)));
}
