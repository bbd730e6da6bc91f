import { readFileSync } from "node:fs";
import { SlipwayError } from "../../schema/errors.ts";
import type { Failure } from "@slipway/durable/errors";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import { recordCheck } from "./evidence/checks.ts";
import { MODE } from "./evidence/gate-queries.ts";
import { gateLogFolder } from "./gates/log-folder.ts";
import { planGate } from "./gates/precedence.ts";
import { runGate, type GateRequest, type GateResult, type StepEvent } from "./gates/run.ts";
import type { GateSlots } from "./gates/slots.ts";
import { recordGateRun, type RecordedStep } from "./gates/store.ts";
import { pathsOf } from "../../host/git/tree-listing.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { sandboxName } from "../../host/sandbox/contract.ts";
import { canaryCheck, type CanaryRecord } from "./canary/record.ts";
import { canaryPlaces, hasCanary, runCanary, type CanaryVerdict } from "./canary/run-canary.ts";
import { judgeExpectedTests, NOTHING_EXPECTED, type ExpectedResult } from "./expected-tests/judge-expected.ts";
import { compareReportedTests, NOT_COMPARED } from "./compare-tests.ts";
import { gatePolicy, gateRequest, overridesFor } from "./gate-request.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { reconcileWorktree, whileGateWrites } from "../work/reconcile-worktree.ts";
import { toolchainOf } from "./toolchain.ts";
import { cachesFor } from "./gate-caches.ts";
import { withReset } from "./gate-leftovers.ts";
import { findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";

export const gateInput = z.strictObject({ feature_id: z.string(), profile: z.string().optional(), mode: z.string() });
export type GateInput = z.infer<typeof gateInput>;

export interface GateSummary {
  /** The id of its evidence. */
  readonly id: string;
  readonly profile: string;
  readonly mode: string;
  readonly tree: string;
  readonly passed: boolean;
  readonly failure: Failure | null;
  readonly steps: readonly RecordedStep[];
  readonly tests: GateResult["tests"];
  readonly coverage: GateResult["coverage"];
  readonly sandbox: string;
  /** What the gate did with a planted failure; null if it was not run with one. Missing in summaries of earlier versions. */
  readonly canary?: CanaryRecord | null;
}

interface GateRun {
  readonly result: GateResult;
  /** The tree of the base whose tests its report was compared with. */
  readonly compared: string | null;
  readonly expected: ExpectedResult | null;
  readonly canary: CanaryVerdict | null;
  readonly steps: readonly RecordedStep[];
  readonly tree: string;
  readonly sandbox: string;
}

export interface GateWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((event: StepEvent) => void) | undefined;
}

/** Runs the gate on the feature's tree and records the results, pass or fail. */
export function runGatesOperation(
  dependencies: FeatureDependencies,
  slots: GateSlots,
  { signal, onStep }: GateWatch = {},
): Operation<GateInput, GateRun, GateSummary> {
  const { policy, gates, policyHash } = dependencies.configuration;
  return {
    name: "gates.run",
    roles: rolesFor(policy.rbac, "gates.run"),
    input: gateInput,
    unclaimed: true,
    effect: async ({ feature_id, profile: wanted, mode }, { operationId, at }) => {
      const feature = await findFeature(dependencies.db, feature_id);
      const profile = wanted ?? feature.gate_profile;
      const overrides = await overridesFor(dependencies, feature, profile);
      // Find errors in profile, mode or plan before anything starts.
      const usual = planGate(gates, profile, mode, gatePolicy(dependencies));
      const gate = planGate(gates, profile, mode, gatePolicy(dependencies), overrides);
      return slots.within(async () => {
        await reconcileWorktree(dependencies, feature, operationId, at);
        const sandbox = await dependencies.sandbox();
        const toolchain = await toolchainOf(dependencies, sandbox);
        const isPlanted = hasCanary(dependencies, feature, profile, mode);
        const copied = isPlanted ? await canaryPlaces(dependencies, feature) : [];
        const request = (resetTree: () => Promise<void>): GateRequest => ({
          ...gateRequest(dependencies, toolchain, {
            profile,
            mode,
            overrides,
            worktree: feature.worktree,
            logFolder: gateLogFolder(dependencies.layout, feature_id, operationId),
            sandbox,
            resetTree,
            ...cachesFor(dependencies, feature_id, profile, mode),
            trackedPaths: async () => pathsOf(await dependencies.repository.vault(), feature.tree),
          }),
          copied,
          ...(signal === undefined ? {} : { signal }),
          ...(onStep === undefined ? {} : { onStep }),
        });
        const runOn = (step: string, as: (request: GateRequest) => GateRequest = (same) => same) => {
          const run = (resetTree: () => Promise<void>) => runGate(as(request(resetTree)));
          if (sandbox.layers === true) return run(async () => undefined);
          return whileGateWrites(dependencies, feature, { step, at }, () => withReset(dependencies, feature, { step, at }, run));
        };
        const result = await runOn(operationId);
        const compared = result.passed
          ? await compareReportedTests(
              dependencies,
              feature,
              usual,
              request(async () => undefined),
              result.ran,
            )
          : NOT_COMPARED;
        const expected =
          result.passed && compared.failure === null ? await judgeExpectedTests(dependencies, feature, usual, result) : NOTHING_EXPECTED;
        const isPassed = result.passed && compared.failure === null && expected.failure === null;
        const canary =
          isPassed && isPlanted
            ? await runCanary(dependencies, feature, {
                gate,
                request: request(async () => undefined),
                result,
                runAgain(planted, name) {
                  const logFolder = gateLogFolder(dependencies.layout, feature_id, `${operationId}/${name}`);
                  // Nothing of this run may reach a cache, and its steps are not those of the gate.
                  return runOn(`${operationId}/${name}`, ({ caches: _caches, onStep: _onStep, ...same }) => ({
                    ...same,
                    planted,
                    logFolder,
                  }));
                },
              })
            : null;
        const failure = compared.failure ?? expected.failure ?? canary?.failure ?? null;
        return {
          result: failure === null ? result : { ...result, passed: false, failure },
          compared: compared.with,
          expected: expected.result,
          canary,
          steps: await recordedSteps(dependencies, result),
          tree: feature.tree,
          sandbox: sandboxName(sandbox),
        };
      }, signal);
    },
    commit: async (tx, { feature_id }, { result, compared, expected, canary, steps, tree, sandbox }, { at, operationId: id }) => {
      const feature = await findFeature(tx, feature_id);
      const { profile, mode, tests, coverage, isolation, failure } = result;
      const status = result.passed ? "pass" : "fail";
      const common = { run_id: feature.run_id, feature_id, tree, at };
      for (const { name, status: seen, exit_code, log_digest, program = null } of steps) {
        if (seen === "skipped") continue;
        const counts = program === null ? null : { program };
        const check = { id: `${id}#${name}`, name, kind: `${mode}:step`, status: seen, exit_code, counts, log_digest };
        await recordCheck(tx, { ...common, ...check });
      }
      const verdict = { id, name: mode, kind: MODE, status, exit_code: null, log_digest: null } as const;
      await recordCheck(tx, {
        ...common,
        ...verdict,
        counts: {
          profile,
          tests,
          compared,
          ...(expected && { expected }),
          ...(policy.gates.canary === "off" ? { canary: "off" } : {}),
          coverage,
          sandbox,
          isolation,
          policy: policyHash,
        },
      });
      if (canary !== null) await recordCheck(tx, { ...common, ...canaryCheck(id, mode, canary.record), log_digest: canary.logDigest });
      await recordGateRun(tx, { id, feature_id, profile, mode, tree, status, failure, steps, at });
      const results = feature.tree === tree ? resultsOf(feature, result, steps) : {};
      const evidence = { last_gate_id: id, artifacts: steps.filter((step) => step.status !== "skipped").map(({ log_path }) => log_path) };
      await updateFeature(
        tx,
        feature,
        { gates: JSON.stringify({ ...gateMap(feature), ...results }), evidence: JSON.stringify(evidence) },
        at,
      );
      return { id, profile, mode, tree, passed: result.passed, failure, steps, tests, coverage, sandbox, canary: canary?.record ?? null };
    },
    event: ({ feature_id }, { profile, mode, tree, passed }) => ({ feature_id, profile, mode, tree, passed }),
  };
}

const cancelledInput = z.strictObject({ gate_id: z.string(), feature_id: z.string(), profile: z.string().optional(), mode: z.string() });

/** Records that a gate was stopped: neither a pass nor a failure, and no result for the tree. */
export function cancelledGateOperation({ configuration }: FeatureDependencies): Operation<z.infer<typeof cancelledInput>, undefined, null> {
  return {
    name: "gates.cancelled",
    roles: rolesFor(configuration.policy.rbac, "gates.run"),
    input: cancelledInput,
    async commit(tx, { gate_id, feature_id, profile, mode }, _effect, { operationId, at }) {
      const { gate_profile, tree } = await findFeature(tx, feature_id);
      const message = `The ${mode} gate of "${feature_id}" (${gate_id}) was stopped before it finished.`;
      const failure = { code: "run_stopped", message, details: {} } as const;
      const run = { id: operationId, feature_id, profile: profile ?? gate_profile, mode, tree, at };
      await recordGateRun(tx, { ...run, status: "cancelled", failure, steps: [] });
      return null;
    },
    event: ({ gate_id, feature_id, mode }) => ({ gate_id, feature_id, mode }),
  };
}

/** Results as the feature's state shows them: step names are prefixed with the mode, and with the profile if it is not the plan's. */
function resultsOf({ gate_profile }: Feature, result: GateResult, steps: readonly RecordedStep[]): Record<string, "pass" | "fail" | "na"> {
  const { profile, mode, coverage } = result;
  const prefix = profile === gate_profile ? "" : `${profile}/`;
  const verdicts =
    coverage === null ? [] : [["coverage_line", coverage.verdicts.line] as const, ["coverage_branch", coverage.verdicts.branch] as const];
  return Object.fromEntries([
    ...steps.map(({ name, status }) => [`${prefix}${mode}:${name}`, status === "skipped" ? "na" : status] as const),
    [`${prefix}${mode}`, result.passed ? "pass" : "fail"] as const,
    ...verdicts.map(([name, verdict]) => [`${prefix}${name}`, verdict] as const),
  ]);
}

/** Logs are small and already redacted. The object store keeps them after the folder is cleaned. */
export async function recordedSteps({ objects }: Pick<FeatureDependencies, "objects">, { steps }: GateResult): Promise<RecordedStep[]> {
  return Promise.all(
    steps.map(async ({ name, command, status, exitCode, durationMs, logPath, program, produced }) => {
      const log = status === "skipped" ? Buffer.alloc(0) : readFileSync(logPath);
      return {
        name,
        command,
        status,
        exit_code: exitCode,
        duration_ms: Math.round(durationMs),
        log_path: logPath,
        log_digest: log.length === 0 ? null : await objects.put(log),
        program,
        ...(produced.length === 0 ? {} : { produced }),
      };
    }),
  );
}

/** Whether the run was stopped. */
export function wasStopped(error: unknown): boolean {
  return error instanceof SlipwayError && error.code === "run_stopped";
}
