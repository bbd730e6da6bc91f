import type { FeatureStatus } from "../../feature/status.ts";

/** A feature of a run, as far as its siblings have to know. */
export interface Standing {
  /** Null before it was initialised. */
  readonly status: FeatureStatus | null;
  /** Its part of the run is over, however it ended. */
  readonly runFinished: boolean;
  /** The features its plan waits for; null when it does not wait. */
  readonly waitsFor: readonly string[] | null;
  /** The kinds of questions it has open. */
  readonly asks: readonly string[];
}

/** Nothing more will come of it: it has landed, was given up, or its part of the run has broken off. */
export function hasEnded({ status, runFinished }: Standing): boolean {
  return runFinished || status === "merged" || status === "failed";
}

/**
 * Whether later features may submit their plans without it. As long as it is still planning they may not, so that of two
 * plans that collide the earlier feature's counts, whoever was faster. One that waits, for others or for a person, holds nobody up.
 */
export function isDecided(feature: Standing, ended: (id: string) => boolean): boolean {
  if (hasEnded(feature) || feature.asks.length > 0) return true;
  if (feature.waitsFor !== null) return feature.waitsFor.some((id) => !ended(id));
  return feature.status !== null && feature.status !== "planning";
}

/** Approved, and nobody is asked anything about it. Whoever waits for a person lets the others land, and has its old place again afterwards. */
export function standsInLine({ status, runFinished, asks }: Standing): boolean {
  return status === "ready_to_merge" && !runFinished && asks.length === 0;
}

export interface Approved {
  readonly feature_id: string;
  readonly approvedAt: number;
}

/** Who lands next: approvals in the order they were given, at the same moment in the order of the run. */
export function nextToLand(approved: readonly Approved[], order: readonly string[]): string | null {
  const place = ({ feature_id, approvedAt }: Approved) => [approvedAt, order.indexOf(feature_id)] as const;
  const line = approved.toSorted((one, two) => place(one)[0] - place(two)[0] || place(one)[1] - place(two)[1]);
  return line[0]?.feature_id ?? null;
}
