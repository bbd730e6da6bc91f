import { join } from "node:path";
import { expandHome } from "../../config/home.ts";
import type { VerificationOverrides } from "./gates/precedence.ts";
import type { CacheSource } from "./gates/step-caches.ts";
import type { GatePolicy, GateRequest } from "./gates/run.ts";
import { layersIn } from "../../host/places.ts";
import type { Sandbox } from "../../host/sandbox/contract.ts";
import type { Toolchain } from "../../host/toolchain/resolve.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { acceptedPlan, type Feature } from "../feature/store.ts";

/** Which gate to run, and where. */
export interface GateSelection {
  readonly profile: string;
  readonly mode: string;
  readonly overrides: VerificationOverrides;
  readonly worktree: string;
  readonly logFolder: string;
  readonly sandbox: Sandbox;
  /** Resets the worktree to its tree. */
  readonly resetTree: () => Promise<void>;
  /** Every path of the tree. */
  readonly trackedPaths: () => Promise<readonly string[]>;
  readonly caches?: CacheSource;
}

/** A gate under the policy of the repository, for features, probes and trials. */
export function gateRequest(dependencies: FeatureDependencies, toolchain: Toolchain, selection: GateSelection): GateRequest {
  const { policy, gates } = dependencies.configuration;
  return {
    ...selection,
    config: gates,
    policy: gatePolicy(dependencies),
    hostEnv: dependencies.hostEnv,
    toolchain,
    readOnly: policy.sandbox.read_only.map((path) => expandHome(path, dependencies.hostEnv)),
    shared: policy.sandbox.shared_paths.map((path) => ({ from: join(dependencies.layout.root, path), to: path })),
    scratch: layersIn(dependencies.hostEnv),
    redact: dependencies.redactor,
    clock: dependencies.clock,
  };
}

/** A plan overrides only the steps of the profile it names. */
export async function overridesFor(
  { db }: FeatureDependencies,
  { id, gate_profile }: Feature,
  profile: string,
): Promise<VerificationOverrides> {
  return profile === gate_profile ? ((await acceptedPlan(db, id))?.verification_overrides ?? {}) : {};
}

export function gatePolicy({ configuration: { policy } }: FeatureDependencies): GatePolicy {
  const { execution, thresholds } = policy;
  return {
    defaultStepTimeoutSeconds: execution.default_step_timeout_seconds,
    envAllowlist: execution.env_allowlist,
    transientErrorCodes: execution.retry_policy.transient_error_codes,
    transientMaxRetries: execution.retry_policy.transient_max_retries,
    allowUnsupportedParser: policy.parsers.allow_unsupported,
    minimums: { line: thresholds.coverage_line_min, branch: thresholds.coverage_branch_min },
    targets: { line: thresholds.coverage_line_target, branch: thresholds.coverage_branch_target },
  };
}
