import type { Ctx, Workflow } from "@slipway/durable/ctx";
import type { Failure } from "@slipway/durable/errors";
import { childRunId } from "@slipway/durable/names";
import type { Landing } from "@slipway/kernel/change/land/merge";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import type { NarratedStep } from "../narration/step-text.ts";
import type { RunRequest } from "../protocol.ts";
import type { RunNode } from "../run-view.ts";
import type { Reader, Starter } from "../surface/surface.ts";
import type { ChangeRun } from "./change-run.ts";
import type { ChangeServices } from "./services.ts";

/** One specification of a run. */
export interface SpecifiedFeature {
  readonly feature_id: string;
  readonly spec_source: string;
  /** Digest of the text in the object store: the run never reads the user's file again. */
  readonly spec_digest: string;
  /** The protocol that makes the change, with its own input; without it, `features` itself. */
  readonly inner?: { readonly protocol: string; readonly input: object };
}

/** A feature as its child run gets it. */
export interface FeatureOfRun extends SpecifiedFeature {
  readonly run_id: string;
  /** The ids of all features of the run, in the order of their specifications. */
  readonly order: readonly string[];
  /** It is all that the run does. */
  readonly alone?: true;
}

/** The folder of the change's own files, below `.slipway/runs`; that of the run itself if it has one change only. */
export function changeFolder({ feature_id, run_id, alone }: FeatureOfRun): string {
  return alone === true ? run_id : `${run_id}/${run_id.slice(0, DATE_LENGTH)}_${feature_id}`;
}

const DATE_LENGTH = "2026-11-18".length;

export interface FeatureResult {
  readonly feature_id: string;
  readonly status: "merged" | "failed";
  readonly landing: Landing | null;
  /** The unexpected error that ended it. */
  readonly failure?: Pick<Failure, "code" | "message">;
  /** Why the run ended before the feature began. */
  readonly not_begun?: string;
  /** What the protocol that made the change says at the end, one line each. */
  readonly words?: readonly string[];
}

export type FeatureWorkflow = Workflow<FeatureOfRun, FeatureResult, ChangeServices>;

/** How a protocol makes the change of one specification of a run of `features`. */
export interface InnerProtocol {
  readonly workflow: FeatureWorkflow;
  /** Its other workflows, for the versions that a run is pinned to. */
  readonly parts: readonly Workflow<never, unknown, never>[];
  readonly narration: readonly NarratedStep[];
  /** The input of the change besides the specification. Refuses a specification that it cannot work on. */
  prepare(starter: Starter, spec: Spec, request: RunRequest): Promise<object>;
  /** The nodes below the feature's own. */
  view(reader: Reader, feature: { readonly runId: string; readonly id: string }): Promise<RunNode[]>;
}

/** The change of a child run, with its siblings in the order of their specifications. */
export function changeOf(ctx: Ctx, services: ChangeServices, { feature_id: id, run_id, order }: FeatureOfRun): ChangeRun {
  const siblings = order.map((sibling) => ({ feature_id: sibling, run_id: featureRunId(run_id, sibling) }));
  return { ctx, services, id, siblings, revises: null };
}

export function featureRunId(runId: string, id: string): string {
  return childRunId(runId, `feature:${id}`);
}
