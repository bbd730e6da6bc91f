import type { FeatureStatus } from "../../feature/status.ts";

/** The state of a feature of a run that its siblings need. */
export interface SiblingStatus {
  /** Null before it was initialised. */
  readonly status: FeatureStatus | null;
  /** Its child run has ended, in any way. */
  readonly runFinished: boolean;
  /** The features its plan waits for; null when it does not wait. */
  readonly waitsFor: readonly string[] | null;
  /** The kinds of its open questions. */
  readonly asks: readonly string[];
}

/** It has landed, failed, or its child run has ended. */
export function hasEnded({ status, runFinished }: SiblingStatus): boolean {
  return runFinished || status === "merged" || status === "failed";
}

/**
 * Whether later features may submit their plans without it. Not while it is still planning: of two colliding plans, that of the earlier
 * feature wins, independent of speed. A feature that waits for others or for a person blocks none.
 */
export function isDecided(feature: SiblingStatus, ended: (id: string) => boolean): boolean {
  if (hasEnded(feature) || feature.asks.length > 0) return true;
  if (feature.waitsFor !== null) return feature.waitsFor.some((id) => !ended(id));
  return feature.status !== null && feature.status !== "planning";
}

/** Approved, with no open question. A feature that waits for a person lets others land and then regains its position. */
export function waitsToLand({ status, runFinished, asks }: SiblingStatus): boolean {
  return status === "ready_to_merge" && !runFinished && asks.length === 0;
}

export interface ApprovedFeature {
  readonly feature_id: string;
  readonly approvedAt: number;
}

/** The next feature to land: by the time of approval, then by the order of the run. */
export function nextToLand(approved: readonly ApprovedFeature[], order: readonly string[]): string | null {
  const position = ({ feature_id, approvedAt }: ApprovedFeature) => [approvedAt, order.indexOf(feature_id)] as const;
  const line = approved.toSorted((one, two) => position(one)[0] - position(two)[0] || position(one)[1] - position(two)[1]);
  return line[0]?.feature_id ?? null;
}
