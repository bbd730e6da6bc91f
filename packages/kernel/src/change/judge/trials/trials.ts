import { SlipwayError } from "@slipway/durable/errors";
import { z } from "zod";
import type { Call } from "../../../record/operations/call.ts";
import { recordedSteps } from "../gate.ts";
import { gatePolicy, gateRequest } from "../gate-request.ts";
import type { Rooms } from "../../feature/dependencies.ts";
import { findFeature } from "../../feature/store.ts";
import { toolchainOf } from "../toolchain.ts";
import { trialLogFolder } from "../gates/log-folder.ts";
import { planGate } from "../gates/precedence.ts";
import { runGate, type GateRequest, type StepEvent } from "../gates/run.ts";
import type { GatesConfig } from "../../../config/gates.ts";
import { commitNow } from "../../../host/git/commit-now.ts";
import { treeOf } from "../../../host/git/fast-path/git-queries.ts";
import { checkoutTree } from "./checkout-tree.ts";
import type { Operation } from "../../../record/operations/operation.ts";
import { placesIn } from "../../../host/places.ts";
import { trialKey } from "./key.ts";
import { withTree, type TreePlace } from "./place.ts";
import { keepRanTests } from "./ran-tests.ts";
import { recordTrial, rememberedTrial, type TrialRecord } from "./store.ts";
import { trialOf, untried, type Trial } from "./trial.ts";
import { verdictOf } from "./verdict.ts";

export type { Trial } from "./trial.ts";

export interface TrialReport {
  /** What was tried, in words: a branch, or the checkout. */
  readonly of: string;
  readonly commit: string | null;
  readonly tree: string;
  readonly trials: readonly Trial[];
}

export interface TrialWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((trial: { readonly profile: string; readonly mode: string }, event: StepEvent) => void) | undefined;
}

export interface TrialWish {
  /** All that a change will have to pass, unless told. */
  readonly modes?: readonly string[] | undefined;
  readonly profiles?: readonly string[] | undefined;
  /** Whether an earlier result that still holds will do. */
  readonly remembered?: boolean | undefined;
}

const trialInput = z.strictObject({ key: z.string(), tree: z.string(), profile: z.string(), mode: z.string() });
type TrialInput = z.infer<typeof trialInput>;

/** Gates on trees that belong to no feature. */
export function openTrials(rooms: Rooms) {
  const { policy } = rooms.configuration;
  const base = policy.worktree.base_branch;

  return {
    /** The base branch's last commit. */
    async onBase(call: Call, wish: TrialWish = {}, watch: TrialWatch = {}): Promise<TrialReport> {
      const commit = await commitNow(rooms.repository, `refs/heads/${base}`);
      if (commit === null) throw new SlipwayError("config_invalid", `There is no branch ${base}.`, { field: "worktree.base_branch" });
      const tree = await treeOf(rooms.repository, commit);
      return { of: base, commit, tree, trials: await tryAll(rooms, call, tree, wish, watch) };
    },
    /** What a feature's worktree is to hold. A look by hand: it counts for no merge. */
    async onFeature(call: Call, id: string, wish: TrialWish = {}, watch: TrialWatch = {}): Promise<TrialReport> {
      const { tree, gate_profile } = await findFeature(rooms.db, id);
      const trials = await tryAll(rooms, call, tree, { profiles: [gate_profile], ...wish }, watch);
      return { of: id, commit: null, tree, trials };
    },
    /** What is in the checkout now, untracked files included, under the given gates. The checkout is not touched. */
    async onCheckout(call: Call, gates: GatesConfig, wish: TrialWish = {}, watch: TrialWatch = {}): Promise<TrialReport> {
      const tree = await checkoutTree(rooms);
      const here = { ...rooms, configuration: { ...rooms.configuration, gates } };
      return { of: "your checkout", commit: null, tree, trials: await tryAll(here, call, tree, wish, watch) };
    },
  };
}

export type Trials = ReturnType<typeof openTrials>;

async function tryAll(rooms: Rooms, call: Call, tree: string, wish: TrialWish, watch: TrialWatch): Promise<Trial[]> {
  const { policy, gates } = rooms.configuration;
  const required = [...new Set(["fast", ...policy.required_modes, policy.required_merge_mode])];
  // A plan names its profile later; without a word it is the default one.
  const usual = Object.hasOwn(gates.profiles, "default") ? ["default"] : Object.keys(gates.profiles);
  const wanted = (wish.profiles ?? usual).flatMap((profile) => (wish.modes ?? required).map((mode) => ({ profile, mode })));
  const seen = new Map<string, Trial>();
  const trials: Trial[] = [];
  for (const one of wanted) trials.push(await tryOne(rooms, call, { ...one, tree }, wish.remembered ?? true, watch, seen));
  return trials;
}

/** The key of a trial does not depend on where it runs; a place is made when it does. */
const NO_PLACE: TreePlace = { worktree: "", bringBack: async () => undefined, trackedPaths: async () => [] };

/** `seen` is what the same call has tried already: modes with the same steps are tried once. */
async function tryOne(
  rooms: Rooms,
  call: Call,
  one: { readonly profile: string; readonly mode: string; readonly tree: string },
  mayRemember: boolean,
  watch: TrialWatch,
  seen: Map<string, Trial>,
): Promise<Trial> {
  const { profile, mode, tree } = one;
  const sight = { tree, network: () => false, notes: [] as readonly string[] };
  try {
    const gate = planGate(rooms.configuration.gates, profile, mode, gatePolicy(rooms));
    const sandbox = await rooms.sandbox();
    const toolchain = await toolchainOf(rooms, sandbox);
    const logFolder = trialLogFolder(rooms.layout, call.operationId, mode);
    const wish = { profile, mode, overrides: {}, logFolder, sandbox, ...NO_PLACE };
    const request = gateRequest(rooms, toolchain, wish);
    const key = trialKey(tree, gate, request);
    const network = (name: string) => gate.steps.some((step) => step.name === name && step.network);
    const told = { ...sight, network, notes: toolchain.notes };
    const twin = seen.get(key);
    if (twin !== undefined) return { ...twin, profile, mode, remembered: true };
    const known = mayRemember ? await rememberedTrial(rooms.db, key) : null;
    const operation = tryOperation(rooms, request, watch);
    const record =
      known ?? (await rooms.door.perform(operation, call.actor, `${call.operationId}/${profile}/${mode}`, { key, tree, profile, mode }));
    const trial = await trialOf(rooms, { ...record, profile, mode }, known !== null, told);
    seen.set(key, trial);
    return trial;
  } catch (error) {
    return untried(rooms, one, error, sight);
  }
}

/** Runs the gate in a folder of its own and records what was seen. */
function tryOperation(
  rooms: Rooms,
  request: GateRequest,
  { signal, onStep }: TrialWatch,
): Operation<TrialInput, Omit<TrialRecord, "id" | "at">, TrialRecord> {
  return {
    name: "gates.try",
    roles: ["orchestrator", "system", "person"],
    input: trialInput,
    unclaimed: true,
    async effect({ key, tree, profile, mode }, { operationId }) {
      const { stateHome } = placesIn(rooms.hostEnv);
      const result = await withTree({ repository: rooms.repository, stateHome, name: operationId, tree }, (place) =>
        runGate({
          ...request,
          ...place,
          ...(signal === undefined ? {} : { signal }),
          ...(onStep === undefined ? {} : { onStep: (event) => onStep({ profile, mode }, event) }),
        }),
      );
      const { tests, coverage, failure } = result;
      const ran = await keepRanTests(rooms.objects, result.ran);
      const counts = { tests, coverage: coverage && { line: coverage.line, branch: coverage.branch }, ran };
      const steps = await recordedSteps(rooms, result);
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
