import { readFileSync } from "node:fs";
import type { Failure } from "@slipway/durable/errors";
import { SlipwayError } from "../../../schema/errors.ts";
import { z } from "zod";
import type { Call } from "../../../record/operations/call.ts";
import { recordedSteps } from "../gate.ts";
import { gatePolicy, gateRequest } from "../gate-request.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { findFeature } from "../../feature/store.ts";
import { toolchainOf } from "../toolchain.ts";
import { trialLogFolder } from "../gates/log-folder.ts";
import { planGate } from "../gates/precedence.ts";
import { runGate, type GateRequest, type GateResult, type StepEvent } from "../gates/run.ts";
import type { GatesConfig } from "../../../config/gates.ts";
import { commitNow } from "../../../host/git/commit-now.ts";
import { treeOf } from "../../../host/git/fast-path/git-queries.ts";
import { checkoutTree } from "./checkout-tree.ts";
import type { Operation } from "../../../record/operations/operation.ts";
import { placesIn } from "../../../host/places.ts";
import { trialKey } from "./key.ts";
import { noTestsYet } from "./no-tests-yet.ts";
import { withTree, type TreeCheckout } from "./with-tree.ts";
import { keepRanTests } from "./ran-tests.ts";
import { recordTrial, rememberedTrial, type TrialRecord } from "./store.ts";
import { trialOf, untried, type Trial } from "./trial.ts";
import { verdictOf } from "./verdict.ts";

export interface TrialReport {
  /** The subject of the trial: a branch, or the checkout. */
  readonly of: string;
  readonly commit: string | null;
  readonly tree: string;
  readonly trials: readonly Trial[];
}

export interface TrialWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((trial: { readonly profile: string; readonly mode: string }, event: StepEvent) => void) | undefined;
}

export interface TrialOptions {
  /** Default: all modes that a change must pass. */
  readonly modes?: readonly string[] | undefined;
  readonly profiles?: readonly string[] | undefined;
  /** Whether an earlier valid result may be reused. */
  readonly remembered?: boolean | undefined;
}

const trialInput = z.strictObject({ key: z.string(), tree: z.string(), profile: z.string(), mode: z.string() });
type TrialInput = z.infer<typeof trialInput>;

/** Runs gates on trees without a feature. */
export function openTrials(dependencies: FeatureDependencies) {
  const { policy } = dependencies.configuration;
  const base = policy.worktree.base_branch;

  return {
    /** On the head of the base branch. */
    async onBase(call: Call, options: TrialOptions = {}, watch: TrialWatch = {}): Promise<TrialReport> {
      const commit = await commitNow(dependencies.repository, `refs/heads/${base}`);
      if (commit === null) throw new SlipwayError("config_invalid", `There is no branch ${base}.`, { field: "worktree.base_branch" });
      const tree = await treeOf(dependencies.repository, commit);
      return { of: base, commit, tree, trials: await tryAll(dependencies, call, tree, options, watch) };
    },
    /** On the recorded tree of a feature's worktree. Manual: it does not count for a merge. */
    async onFeature(call: Call, id: string, options: TrialOptions = {}, watch: TrialWatch = {}): Promise<TrialReport> {
      const { tree, gate_profile } = await findFeature(dependencies.db, id);
      const trials = await tryAll(dependencies, call, tree, { profiles: [gate_profile], ...options }, watch);
      return { of: id, commit: null, tree, trials };
    },
    /** On the current files of the checkout, including untracked ones, with the given gates. The checkout is not touched. */
    async onCheckout(call: Call, gates: GatesConfig, options: TrialOptions = {}, watch: TrialWatch = {}): Promise<TrialReport> {
      const tree = await checkoutTree(dependencies);
      const here = { ...dependencies, configuration: { ...dependencies.configuration, gates } };
      return { of: "your checkout", commit: null, tree, trials: await tryAll(here, call, tree, options, watch) };
    },
  };
}

export type Trials = ReturnType<typeof openTrials>;

async function tryAll(
  dependencies: FeatureDependencies,
  call: Call,
  tree: string,
  options: TrialOptions,
  watch: TrialWatch,
): Promise<Trial[]> {
  const { policy, gates } = dependencies.configuration;
  const required = [...new Set(["fast", ...policy.required_modes, policy.required_merge_mode])];
  // A plan may choose a profile later; the default is "default".
  const usual = Object.hasOwn(gates.profiles, "default") ? ["default"] : Object.keys(gates.profiles);
  const wanted = (options.profiles ?? usual).flatMap((profile) => (options.modes ?? required).map((mode) => ({ profile, mode })));
  const seen = new Map<string, Trial>();
  const trials: Trial[] = [];
  for (const one of wanted) trials.push(await tryOne(dependencies, call, { ...one, tree }, options.remembered ?? true, watch, seen));
  return trials;
}

/** The key of a trial does not depend on its folder, which is created only if the trial runs. */
const NO_CHECKOUT: TreeCheckout = { worktree: "", resetTree: async () => undefined, trackedPaths: async () => [] };

/** `seen` contains the trials of the same call: modes with the same steps are tried once. */
async function tryOne(
  dependencies: FeatureDependencies,
  call: Call,
  one: { readonly profile: string; readonly mode: string; readonly tree: string },
  mayRemember: boolean,
  watch: TrialWatch,
  seen: Map<string, Trial>,
): Promise<Trial> {
  const { profile, mode, tree } = one;
  const sight = { tree, network: () => false, notes: [] as readonly string[] };
  try {
    const gate = planGate(dependencies.configuration.gates, profile, mode, gatePolicy(dependencies));
    const sandbox = await dependencies.sandbox();
    const toolchain = await toolchainOf(dependencies, sandbox);
    const logFolder = trialLogFolder(dependencies.layout, call.operationId, mode);
    const options = { profile, mode, overrides: {}, logFolder, sandbox, ...NO_CHECKOUT };
    const request = gateRequest(dependencies, toolchain, options);
    const key = trialKey(tree, gate, request);
    const network = (name: string) => gate.steps.some((step) => step.name === name && step.network);
    const shown = { ...sight, network, notes: toolchain.notes };
    const twin = seen.get(key);
    if (twin !== undefined) return { ...twin, profile, mode, remembered: true };
    const known = mayRemember ? await rememberedTrial(dependencies.db, key) : null;
    const operation = tryOperation(dependencies, request, watch);
    const record =
      known ??
      (await dependencies.door.perform(operation, call.actor, `${call.operationId}/${profile}/${mode}`, { key, tree, profile, mode }));
    const trial = await trialOf(dependencies, { ...record, profile, mode }, known !== null, shown);
    seen.set(key, trial);
    return trial;
  } catch (error) {
    return untried(dependencies, one, error, sight);
  }
}

/** Runs the gate in a separate folder and records the result. */
function tryOperation(
  dependencies: FeatureDependencies,
  request: GateRequest,
  { signal, onStep }: TrialWatch,
): Operation<TrialInput, Omit<TrialRecord, "id" | "at">, TrialRecord> {
  return {
    name: "gates.try",
    roles: ["orchestrator", "system", "person"],
    input: trialInput,
    unclaimed: true,
    async effect({ key, tree, profile, mode }, { operationId }) {
      const { stateHome } = placesIn(dependencies.hostEnv);
      const result = await withTree({ repository: dependencies.repository, stateHome, name: operationId, tree }, (checkout) =>
        runGate({
          ...request,
          ...checkout,
          ...(signal === undefined ? {} : { signal }),
          ...(onStep === undefined ? {} : { onStep: (event) => onStep({ profile, mode }, event) }),
        }),
      );
      const { tests, coverage } = result;
      const failure = withoutTests(result) ?? result.failure;
      const ran = await keepRanTests(dependencies.objects, result.ran);
      const counts = { tests, coverage: coverage && { line: coverage.line, branch: coverage.branch }, ran };
      const steps = await recordedSteps(dependencies, result);
      return { key, tree, profile, mode, status: verdictOf(failure), failure, steps, counts, sandbox: request.sandbox.kind };
    },
    async commit(tx, _input, seen, { operationId: id, at }) {
      const record = { ...seen, id, at };
      await recordTrial(tx, record);
      return record;
    },
    event: ({ profile, mode, tree }, { status }) => ({ profile, mode, tree, status }),
  };
}

function withoutTests({ steps }: GateResult): Failure | null {
  const failed = steps.find(({ status }) => status === "fail");
  return failed === undefined || failed.exitCode === null
    ? null
    : noTestsYet(failed.name, failed.exitCode, readFileSync(failed.logPath, "utf8"));
}
