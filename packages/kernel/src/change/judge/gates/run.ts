import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@slipway/durable/environment";
import { SlipwayError } from "../../../schema/errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import type { Redactor } from "../../../host/redaction/contract.ts";
import type { Limits, Sandbox, SharedPath } from "../../../host/sandbox/contract.ts";
import { resolveBelow } from "../../../host/sandbox/paths.ts";
import { realWorktree } from "../../../host/sandbox/request.ts";
import type { TestCounts } from "./coverage.ts";
import { judgeReports, NOTHING_REPORTED, readReports, reportPaths, type ReportedResult } from "./judge.ts";
import { reasonsWithoutSecrets, withoutSecrets, type RanTests, type SkippedTests } from "./parse-junit.ts";
import { planGate, type CoverageRatios, type PlannedGate, type VerificationOverrides } from "./precedence.ts";
import type { Toolchain } from "../../../host/toolchain/resolve.ts";
import { clearReports } from "./reports.ts";
import { GATES_FILE, type GatesConfig } from "../../../config/gates.ts";
import { logPathOf, runStep, skippedStep, type StepResult, type StepSurroundings } from "./step.ts";
import type { CacheSource } from "./step-caches.ts";
import { openStepTrees, type Isolation, type PlantedFile, type StepTree, type StepTrees } from "./step-trees.ts";
import type { CoverageResult } from "./thresholds.ts";

export interface GatePolicy {
  readonly defaultStepTimeoutSeconds: number;
  readonly envAllowlist: readonly string[];
  readonly transientErrorCodes: readonly string[];
  readonly transientMaxRetries: number;
  readonly allowUnsupportedParser?: boolean | undefined;
  readonly minimums?: CoverageRatios | undefined;
  readonly targets?: CoverageRatios | undefined;
}

export interface GateRequest {
  readonly config: GatesConfig;
  readonly profile: string;
  readonly mode: string;
  readonly worktree: string;
  readonly overrides?: VerificationOverrides;
  readonly policy: GatePolicy;
  readonly sandbox: Sandbox;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The project's toolchain. Without it a step has the PATH of `hostEnv`, if the policy allows it. */
  readonly toolchain?: Toolchain;
  readonly readOnly?: readonly string[];
  readonly shared?: readonly SharedPath[];
  readonly limits?: Partial<Limits>;
  /** A private folder of the harness, on a file system that supports layers. Default: one in the temporary folder. */
  readonly scratch?: string;
  /** Resets the worktree to its tree after each step, where there are no layers. */
  readonly resetTree?: () => Promise<void>;
  /** Every path of the tree; called only if a step has products or caches. */
  readonly trackedPaths?: () => Promise<readonly string[]>;
  /** Only for a gate that no merge relies on. */
  readonly caches?: CacheSource;
  /** For a gate with planted failures. */
  readonly planted?: PlantedFiles;
  /** For a gate that is run with planted failures afterwards: every file in which something may be planted. */
  readonly copied?: readonly string[];
  readonly logFolder: string;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly onStep?: (event: StepEvent) => void;
}

/** Files that every step sees besides those of the tree, or instead of them. */
export interface PlantedFiles {
  readonly files: readonly PlantedFile[];
  /** Judges a step whose tree still exists. False: the next step runs, whatever the result of this one. */
  readonly isEnough: (result: StepResult, written: string, reported: ReportedResult) => boolean | Promise<boolean>;
}

export type StepEvent =
  | { readonly kind: "started"; readonly name: string; readonly index: number; readonly of: number }
  /** Redacted. */
  | { readonly kind: "output"; readonly name: string; readonly text: string }
  | { readonly kind: "finished"; readonly index: number; readonly of: number; readonly result: StepResult };

export interface GateResult {
  readonly profile: string;
  readonly mode: string;
  readonly passed: boolean;
  readonly failure: Failure | null;
  readonly steps: readonly StepResult[];
  readonly coverage: CoverageResult | null;
  readonly tests: TestCounts | null;
  readonly ran: RanTests | null;
  readonly skips: SkippedTests;
  readonly isolation: Isolation;
  readonly durationMs: number;
}

/**
 * Runs the steps of one mode in order and stops at the first failure. A failed gate is a result. Only a configuration error is thrown,
 * before any process starts.
 */
export async function runGate(request: GateRequest): Promise<GateResult> {
  const started = request.clock.monotonic();
  const gate = planGate(request.config, request.profile, request.mode, request.policy, request.overrides);
  const worktree = realWorktree(request.worktree);
  for (const step of gate.steps) resolveBelow(worktree, step.cwd, `${GATES_FILE}: cwd of step "${step.name}"`);
  throwIfStopped(request);
  const reports = reportPaths(gate);
  const { sandbox, resetTree, caches, scratch = join(tmpdir(), "slipway-gates"), planted, copied } = request;
  const needsPaths = caches !== undefined || gate.steps.some(({ produces }) => produces.length > 0);
  const tracked = new Set(needsPaths ? await request.trackedPaths?.() : []);
  await using trees = openStepTrees({ worktree, sandbox, scratch, resetTree, tracked, caches, planted: planted?.files, copied }, reports);
  const finish = (steps: readonly StepResult[], judged: Judged): GateResult => ({
    profile: gate.profile,
    mode: gate.mode,
    passed: judged.failure === null,
    steps,
    ...judged,
    isolation: trees.isolation,
    durationMs: request.clock.monotonic() - started,
  });

  const unsupported = unsupportedParser(gate, request.policy);
  if (unsupported !== null)
    return finish(skipFrom(gate, 0, request), { failure: unsupported, coverage: null, tests: null, ran: null, skips: new Map() });

  if (trees.isolation !== "layer") clearReports(worktree, reports);
  const { steps, reported } = await runSteps(gate, worktree, trees, request);
  throwIfStopped(request);
  const failed = steps.find(({ status }) => status === "fail")?.failure ?? null;
  const { ran, skips, ...judged } = judgeReports(gate, reported, failed);
  const named = { ran: ran && withoutSecrets(ran, request.redact), skips: reasonsWithoutSecrets(skips, request.redact) };
  return finish(steps, { ...request.redact.value(judged), ...named });
}

/** A stopped gate has neither passed nor failed. */
function throwIfStopped({ signal, mode }: GateRequest): void {
  if (signal?.aborted !== true) return;
  throw new SlipwayError("run_stopped", `The ${mode} gate was stopped before it finished.`, {}, { cause: signal.reason });
}

type Judged = Pick<GateResult, "failure" | "coverage" | "tests" | "ran" | "skips">;

interface Ran {
  readonly steps: readonly StepResult[];
  readonly reported: ReportedResult;
}

async function runSteps(gate: PlannedGate, worktree: string, trees: StepTrees, request: GateRequest): Promise<Ran> {
  const results: StepResult[] = [];
  let reported = NOTHING_REPORTED;
  for (const [index, step] of gate.steps.entries()) {
    request.onStep?.({ kind: "started", name: step.name, index, of: gate.steps.length });
    const tree = await trees.open(step.name);
    let passed = false;
    try {
      const result = await runStep(step, logPathOf(request.logFolder, index, step.name), surroundings(gate, worktree, tree, request));
      reported = await readReports(tree.written, gate, reported);
      results.push(result);
      passed = result.status === "pass";
      request.onStep?.({ kind: "finished", index, of: gate.steps.length, result });
      if ((await request.planted?.isEnough(result, tree.written, reported)) ?? result.status === "fail")
        return { steps: [...results, ...skipFrom(gate, index + 1, request)], reported };
    } finally {
      await tree.close(passed);
    }
  }
  return { steps: results, reported };
}

function surroundings({ profile, mode }: PlannedGate, worktree: string, tree: StepTree, request: GateRequest): StepSurroundings {
  const { policy, onStep, sandbox, hostEnv, toolchain, readOnly = [], shared = [], limits = {}, redact, signal } = request;
  return {
    profile,
    mode,
    worktree,
    tree,
    sandbox,
    hostEnv,
    envAllowlist: policy.envAllowlist,
    transientErrorCodes: policy.transientErrorCodes,
    transientMaxRetries: policy.transientMaxRetries,
    toolchain,
    readOnly,
    shared,
    limits,
    redact,
    signal,
    onOutput: onStep && ((name, text) => onStep({ kind: "output", name, text })),
  };
}

function skipFrom(gate: PlannedGate, first: number, { logFolder, redact }: GateRequest): StepResult[] {
  return gate.steps.slice(first).map((step, offset) => skippedStep(step, logPathOf(logFolder, first + offset, step.name), redact));
}

/** `custom` is a name without a parser. */
function unsupportedParser(gate: PlannedGate, policy: GatePolicy): Failure | null {
  if (gate.coverage?.type !== "custom" || policy.allowUnsupportedParser === true) return null;
  return toFailure(
    new SlipwayError("unsupported_parser", `${GATES_FILE} selects the coverage parser "custom", which does not exist.`, {
      file: GATES_FILE,
      field: "parsers.coverage.type",
      suggested_next_actions: [
        "Use lcov, jacoco_xml, cobertura_xml or junit_xml, or set parsers.allow_unsupported in slipway/policy.yaml.",
      ],
    }),
  );
}
