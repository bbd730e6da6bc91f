import { systemClock } from "@slipway/durable/environment";
import { executionPolicy } from "../../../../config/policy-parts.ts";
import { createRedactor } from "../../../../host/redaction/redactor.ts";
import type { Sandbox } from "../../../../host/sandbox/contract.ts";
import { openSandbox } from "../../../../host/sandbox/sandbox.ts";
import { sandboxWorksHere, scratchFolder } from "../../../../host/sandbox/testing/scratch.ts";
import { unsandboxed } from "../../../../host/sandbox/unsandboxed.ts";
import { runGate, type GatePolicy, type GateRequest, type GateResult } from "../run.ts";
import type { GateStep, GatesConfig } from "../../../../config/gates.ts";

/** The real sandbox if it works; the rules of gates are the same without it. */
export async function sandboxForGates(): Promise<Sandbox> {
  return sandboxWorksHere() ? openSandbox() : unsandboxed({ reason: "there is no sandbox on this machine", by: "the tests" });
}

export function shellStep(name: string, script: string, more: Partial<GateStep> = {}): GateStep {
  return { name, cmd: ["sh", "-c", script], ...more };
}

export function gatesWith(steps: GateStep[], more: Partial<GatesConfig> = {}): GatesConfig {
  return { version: 1, profiles: { default: { modes: { fast: steps, full: steps } } }, ...more };
}

const { default_step_timeout_seconds, retry_policy } = executionPolicy.parse({});

/** The defaults of a policy.yaml without `execution`. No variable is passed unless a test passes it. */
export const policy: GatePolicy = {
  defaultStepTimeoutSeconds: default_step_timeout_seconds,
  envAllowlist: [],
  transientErrorCodes: retry_policy.transient_error_codes,
  transientMaxRetries: retry_policy.transient_max_retries,
};

export type GateCase = Partial<Omit<GateRequest, "policy">> & {
  readonly config: GatesConfig;
  readonly sandbox: Sandbox;
  readonly policy?: Partial<GatePolicy>;
};

export function runCase(given: GateCase): Promise<GateResult> {
  return runGate({
    profile: "default",
    mode: "full",
    worktree: given.worktree ?? scratchFolder(),
    hostEnv: {},
    logFolder: given.logFolder ?? scratchFolder(),
    redact: createRedactor({ secrets: [] }),
    clock: systemClock,
    ...given,
    policy: { ...policy, ...given.policy },
  });
}
