import { join } from "node:path";
import { SlipwayError, type Failure } from "@slipway/durable/errors";
import { z } from "zod";
import { expandHome } from "../config/home.ts";
import { recordCheck } from "../evidence/checks.ts";
import { runGate, type GateResult } from "../gates/run.ts";
import type { Operation } from "../operations/operation.ts";
import type { Rooms } from "./rooms.ts";
import { settle } from "./settle.ts";
import { acceptedPlan, findFeature, gateMap, updateFeature } from "./store.ts";

const gateInput = z.strictObject({ feature_id: z.string(), mode: z.string() });

export interface GateSummary {
  readonly mode: string;
  readonly tree: string;
  readonly passed: boolean;
  readonly failure: Failure | null;
  readonly steps: readonly {
    readonly name: string;
    readonly status: string;
    readonly exit_code: number | null;
    readonly duration_ms: number;
  }[];
  readonly tests: GateResult["tests"];
  readonly coverage: GateResult["coverage"];
  readonly sandbox: string;
}

interface GateRun {
  readonly result: GateResult;
  readonly tree: string;
  readonly sandbox: string;
  readonly logs: readonly string[];
}

/** Runs the gate on the feature's own tree and records what was seen, pass or fail. */
export function runGatesOperation(rooms: Rooms, signal?: AbortSignal): Operation<z.infer<typeof gateInput>, GateRun, GateSummary> {
  return {
    name: "gates.run",
    roles: ["orchestrator", "builder", "qa", "system"],
    input: gateInput,
    effect: async ({ feature_id, mode }, { operationId, at }) => {
      const feature = await findFeature(rooms.db, feature_id);
      await settle(rooms, feature, operationId, at);
      const sandbox = await rooms.sandbox();
      const { policy, gates } = rooms.configuration;
      const plan = await acceptedPlan(rooms.db, feature_id);
      const result = await runGate({
        config: gates,
        profile: feature.gate_profile,
        mode,
        worktree: feature.worktree,
        ...(plan?.verification_overrides === undefined ? {} : { overrides: plan.verification_overrides }),
        policy: gatePolicy(rooms),
        sandbox,
        hostEnv: rooms.hostEnv,
        readOnly: policy.sandbox.read_only.map((path) => expandHome(path, rooms.hostEnv)),
        shared: policy.sandbox.shared_paths.map((path) => ({ from: join(rooms.layout.root, path), to: path })),
        logFolder: join(rooms.layout.feature(feature_id), "logs", logName(operationId)),
        redact: rooms.redactor,
        clock: rooms.clock,
        ...(signal === undefined ? {} : { signal }),
      });
      if (signal?.aborted === true)
        throw new SlipwayError("run_stopped", `The ${mode} gate of "${feature_id}" was stopped before it ended.`);
      await settle(rooms, feature, `${operationId}/after`, at);
      return { result, tree: feature.tree, sandbox: sandbox.kind, logs: await keepLogs(rooms, result) };
    },
    commit: async (tx, { feature_id, mode }, { result, tree, sandbox, logs }, { at, operationId }) => {
      const feature = await findFeature(tx, feature_id);
      const common = { run_id: feature.run_id, feature_id, tree, at };
      for (const [index, step] of result.steps.entries()) {
        await recordCheck(tx, {
          ...common,
          id: `${operationId}#${step.name}`,
          name: step.name,
          kind: `${mode}:step`,
          status: step.status === "pass" ? "pass" : "fail",
          exit_code: step.exitCode,
          counts: null,
          log_digest: logs[index] ?? null,
        });
      }
      const status = result.passed ? "pass" : "fail";
      await recordCheck(tx, {
        ...common,
        id: operationId,
        name: mode,
        kind: "mode",
        status,
        exit_code: null,
        counts: { tests: result.tests, coverage: result.coverage, sandbox },
        log_digest: null,
      });
      const steps = Object.fromEntries(result.steps.map((step) => [step.name, step.status === "pass" ? "pass" : "fail"]));
      await updateFeature(tx, feature, { gates: JSON.stringify({ ...gateMap(feature), ...steps, [mode]: status }) }, at);
      return summarise(mode, tree, result, sandbox);
    },
    event: ({ feature_id }, { mode, tree, passed }) => ({ feature_id, mode, tree, passed }),
  };
}

function gatePolicy({ configuration: { policy } }: Rooms) {
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

function summarise(mode: string, tree: string, result: GateResult, sandbox: string): GateSummary {
  const steps = result.steps.map(({ name, status, exitCode, durationMs }) => ({
    name,
    status,
    exit_code: exitCode,
    duration_ms: Math.round(durationMs),
  }));
  return { mode, tree, passed: result.passed, failure: result.failure, steps, tests: result.tests, coverage: result.coverage, sandbox };
}

/** Logs are small and already redacted; the object store keeps them when the folder is tidied. */
async function keepLogs({ objects }: Rooms, result: GateResult): Promise<string[]> {
  const { readFile } = await import("node:fs/promises");
  return Promise.all(result.steps.map(async ({ logPath }) => objects.put(await readFile(logPath).catch(() => Buffer.alloc(0)))));
}

function logName(operationId: string): string {
  return operationId.replaceAll(/[^A-Za-z0-9._-]+/g, "_").slice(-120);
}
