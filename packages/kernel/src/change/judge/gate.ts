import { readFileSync } from "node:fs";
import { SlipwayError, type Failure } from "@slipway/durable/errors";
import { z } from "zod";
import { rolesFor } from "../../config/rbac.ts";
import { recordCheck } from "./evidence/checks.ts";
import { MODE } from "./evidence/gate-queries.ts";
import { gateLogFolder } from "./gates/log-folder.ts";
import { planGate } from "./gates/precedence.ts";
import { runGate, type GateRequest, type GateResult, type StepEvent } from "./gates/run.ts";
import type { GateSlots } from "./gates/slots.ts";
import { recordGateRun, type RecordedStep } from "./gates/store.ts";
import { pathsOf } from "../../host/git/listing.ts";
import type { Operation } from "../../record/operations/operation.ts";
import { sandboxName } from "../../host/sandbox/contract.ts";
import { compareReportedTests, NOT_COMPARED } from "./compare-tests.ts";
import { gatePolicy, gateRequest, overridesFor } from "./gate-request.ts";
import type { Rooms } from "../feature/dependencies.ts";
import { settle, whileGateWrites } from "../work/settle.ts";
import { toolchainOf } from "./toolchain.ts";
import { cachesFor } from "./gate-caches.ts";
import { withReset } from "./gate-leftovers.ts";
import { findFeature, gateMap, updateFeature, type Feature } from "../feature/store.ts";

export const gateInput = z.strictObject({ feature_id: z.string(), profile: z.string().optional(), mode: z.string() });
export type GateInput = z.infer<typeof gateInput>;

export interface GateSummary {
  /** Under which its evidence is kept. */
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
}

interface GateRun {
  readonly result: GateResult;
  /** The tree of the base whose tests its report was compared with. */
  readonly compared: string | null;
  readonly steps: readonly RecordedStep[];
  readonly tree: string;
  readonly sandbox: string;
}

export interface GateWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((event: StepEvent) => void) | undefined;
}

/** Runs the gate on the feature's own tree and records what was seen, pass or fail. */
export function runGatesOperation(
  rooms: Rooms,
  slots: GateSlots,
  { signal, onStep }: GateWatch = {},
): Operation<GateInput, GateRun, GateSummary> {
  const { policy, gates, policyHash } = rooms.configuration;
  return {
    name: "gates.run",
    roles: rolesFor(policy.rbac, "gates.run"),
    input: gateInput,
    unclaimed: true,
    effect: async ({ feature_id, profile: wanted, mode }, { operationId, at }) => {
      const feature = await findFeature(rooms.db, feature_id);
      const profile = wanted ?? feature.gate_profile;
      const overrides = await overridesFor(rooms, feature, profile);
      // A mistake in profile, mode or plan is found before anything starts.
      const usual = planGate(gates, profile, mode, gatePolicy(rooms));
      planGate(gates, profile, mode, gatePolicy(rooms), overrides);
      return slots.within(async () => {
        await settle(rooms, feature, operationId, at);
        const sandbox = await rooms.sandbox();
        const toolchain = await toolchainOf(rooms, sandbox);
        const request = (bringBack: () => Promise<void>): GateRequest => ({
          ...gateRequest(rooms, toolchain, {
            profile,
            mode,
            overrides,
            worktree: feature.worktree,
            logFolder: gateLogFolder(rooms.layout, feature_id, operationId),
            sandbox,
            bringBack,
            ...cachesFor(rooms, feature_id, profile, mode),
            trackedPaths: async () => pathsOf(await rooms.repository.vault(), feature.tree),
          }),
          ...(signal === undefined ? {} : { signal }),
          ...(onStep === undefined ? {} : { onStep }),
        });
        const run = (bringBack: () => Promise<void>) => runGate(request(bringBack));
        const after = { step: operationId, at };
        const result =
          sandbox.layers === true
            ? await run(() => settle(rooms, feature, `${operationId}/after`, at))
            : await whileGateWrites(rooms, feature, after, () => withReset(rooms, feature, after, run));
        const compared = result.passed
          ? await compareReportedTests(
              rooms,
              feature,
              usual,
              request(async () => undefined),
              result.ran,
            )
          : NOT_COMPARED;
        const judged = compared.failure === null ? result : { ...result, passed: false, failure: compared.failure };
        return {
          result: judged,
          compared: compared.with,
          steps: await recordedSteps(rooms, result),
          tree: feature.tree,
          sandbox: sandboxName(sandbox),
        };
      }, signal);
    },
    commit: async (tx, { feature_id }, { result, compared, steps, tree, sandbox }, { at, operationId: id }) => {
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
        counts: { profile, tests, compared, coverage, sandbox, isolation, policy: policyHash },
      });
      await recordGateRun(tx, { id, feature_id, profile, mode, tree, status, failure, steps, at });
      const seen = feature.tree === tree ? resultsOf(feature, result, steps) : {};
      const evidence = { last_gate_id: id, artifacts: steps.filter((step) => step.status !== "skipped").map(({ log_path }) => log_path) };
      await updateFeature(tx, feature, { gates: JSON.stringify({ ...gateMap(feature), ...seen }), evidence: JSON.stringify(evidence) }, at);
      return { id, profile, mode, tree, passed: result.passed, failure, steps, tests, coverage, sandbox };
    },
    event: ({ feature_id }, { profile, mode, tree, passed }) => ({ feature_id, profile, mode, tree, passed }),
  };
}

const cancelledInput = z.strictObject({ gate_id: z.string(), feature_id: z.string(), profile: z.string().optional(), mode: z.string() });

/** That a gate was stopped before it ended: neither a pass nor a failure, and no result of any tree. */
export function cancelledGateOperation({ configuration }: Rooms): Operation<z.infer<typeof cancelledInput>, undefined, null> {
  return {
    name: "gates.cancelled",
    roles: rolesFor(configuration.policy.rbac, "gates.run"),
    input: cancelledInput,
    async commit(tx, { gate_id, feature_id, profile, mode }, _effect, { operationId, at }) {
      const { gate_profile, tree } = await findFeature(tx, feature_id);
      const message = `The ${mode} gate of "${feature_id}" (${gate_id}) was stopped before it ended.`;
      const failure = { code: "run_stopped", message, details: {} } as const;
      const run = { id: operationId, feature_id, profile: profile ?? gate_profile, mode, tree, at };
      await recordGateRun(tx, { ...run, status: "cancelled", failure, steps: [] });
      return null;
    },
    event: ({ gate_id, feature_id, mode }) => ({ gate_id, feature_id, mode }),
  };
}

/** What the state shows. A step is named with its mode, and what ran under another profile than the plan's with that, too. */
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

/** Logs are small and already redacted; the object store keeps them when the folder is tidied. */
export async function recordedSteps({ objects }: Pick<Rooms, "objects">, { steps }: GateResult): Promise<RecordedStep[]> {
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

/** Whether a run ended because somebody stopped it. */
export function wasStopped(error: unknown): boolean {
  return error instanceof SlipwayError && error.code === "run_stopped";
}
