import { join } from "node:path";
import { expandHome } from "../../config/home.ts";
import type { VerificationOverrides } from "./gates/precedence.ts";
import type { CacheSource } from "./gates/step-caches.ts";
import type { GatePolicy, GateRequest } from "./gates/run.ts";
import { placesIn } from "../../host/places.ts";
import type { Sandbox } from "../../host/sandbox/contract.ts";
import type { Toolchain } from "../../host/toolchain/resolve.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { acceptedPlan, type Feature } from "../feature/store.ts";

/** Which gate, and where. */
export interface GateWish {
  readonly profile: string;
  readonly mode: string;
  readonly overrides: VerificationOverrides;
  readonly worktree: string;
  readonly logFolder: string;
  readonly sandbox: Sandbox;
  /** Brings the worktree back to its tree. */
  readonly bringBack: () => Promise<void>;
  /** Every path of the tree. */
  readonly trackedPaths: () => Promise<readonly string[]>;
  readonly caches?: CacheSource;
}

/** A gate under the policy of the repository, the same wherever it runs. */
export function gateRequest(rooms: Rooms, toolchain: Toolchain, wish: GateWish): GateRequest {
  const { policy, gates } = rooms.configuration;
  return {
    ...wish,
    config: gates,
    policy: gatePolicy(rooms),
    hostEnv: rooms.hostEnv,
    toolchain,
    readOnly: policy.sandbox.read_only.map((path) => expandHome(path, rooms.hostEnv)),
    shared: policy.sandbox.shared_paths.map((path) => ({ from: join(rooms.layout.root, path), to: path })),
    scratch: join(placesIn(rooms.hostEnv).stateHome, "layers"),
    redact: rooms.redactor,
    clock: rooms.clock,
  };
}

/** A plan narrows the steps of the profile it names, and no other. */
export async function overridesFor({ db }: Rooms, { id, gate_profile }: Feature, profile: string): Promise<VerificationOverrides> {
  return profile === gate_profile ? ((await acceptedPlan(db, id))?.verification_overrides ?? {}) : {};
}

export function gatePolicy({ configuration: { policy } }: Rooms): GatePolicy {
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
