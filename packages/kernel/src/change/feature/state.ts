import { z } from "zod";
import { STATUSES } from "./status.ts";
import type { Feature } from "./store.ts";

const RESULTS = ["pass", "fail", "na"] as const;
const ROLE_STATES = ["ready", "running", "blocked", "done"] as const;

const roleState = z.enum(ROLE_STATES);
const things = z.array(z.looseObject({}));

export const clusterSchema = z.looseObject({
  orchestrator_session_id: z.string(),
  planner_session_id: z.string(),
  builder_session_id: z.string(),
  qa_session_id: z.string(),
});

export const roleStatusSchema = z.looseObject({ planner: roleState, builder: roleState, qa: roleState });

/** The front matter of `state.md`. Unknown properties are preserved. */
export const stateSchema = z.looseObject({
  feature_id: z.string(),
  version: z.int().min(1),
  branch: z.string(),
  worktree_path: z.string(),
  status: z.enum(STATUSES),
  status_reason: z.string().optional(),
  gate_profile: z.string(),
  gates: z.record(z.string(), z.enum(RESULTS)),
  locks: z.looseObject({ held: z.array(z.string()) }),
  collisions: z.looseObject({ files: things, areas: things, contracts: things }),
  cluster: clusterSchema,
  role_status: roleStatusSchema,
  evidence: z.looseObject({ last_gate_id: z.string().optional(), artifacts: z.array(z.string()).optional() }).optional(),
  /** Where the specification was read from, and its SHA-256. */
  source: z.looseObject({ spec_path: z.string(), spec_sha256: z.string() }).optional(),
  base: z.looseObject({ branch: z.string(), commit: z.string() }).optional(),
  tree: z.string().optional(),
  last_updated: z.iso.datetime(),
});

export type FeatureState = z.infer<typeof stateSchema>;

export interface StateFacts {
  readonly feature: Feature;
  /** Locks whose leases are in force, sorted. */
  readonly held: readonly string[];
  /** The modes of the feature's gate profile. */
  readonly modes: readonly string[];
}

/** The state from the rows. A gate without a result on the current tree is `na`. */
export function stateOf({ feature, held, modes }: StateFacts): FeatureState {
  const results = JSON.parse(feature.gates) as FeatureState["gates"];
  const evidence = JSON.parse(feature.evidence) as Record<string, unknown>;
  return {
    ...(JSON.parse(feature.extra) as Record<string, unknown>),
    feature_id: feature.id,
    version: feature.version,
    branch: feature.branch,
    worktree_path: feature.worktree,
    status: feature.status,
    ...(feature.status_reason === "" ? {} : { status_reason: feature.status_reason }),
    gate_profile: feature.gate_profile,
    gates: { ...Object.fromEntries(["plan", ...modes].map((name) => [name, "na" as const])), ...results },
    locks: { held: [...held] },
    collisions: JSON.parse(feature.collisions) as FeatureState["collisions"],
    cluster: JSON.parse(feature.cluster) as FeatureState["cluster"],
    role_status: JSON.parse(feature.role_status) as FeatureState["role_status"],
    ...(Object.keys(evidence).length === 0 ? {} : { evidence }),
    source: { spec_path: feature.spec_source, spec_sha256: feature.spec_digest },
    base: { branch: feature.base_branch, commit: feature.base_commit },
    tree: feature.tree,
    last_updated: new Date(feature.updated_at).toISOString(),
  };
}
