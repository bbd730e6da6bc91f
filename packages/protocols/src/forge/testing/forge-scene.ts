import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { openEngine, type Engine } from "@slipway/durable/engine";
import type { Outcome } from "@slipway/durable/outcome";
import { openScratchKernel, PERSON, POLICY, type ScratchKernel, type ScratchOptions } from "@slipway/kernel/change/testing/scratch-kernel";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { onTestFinished } from "vitest";
import { featureRunId, type FeatureResult } from "../../change/feature-run.ts";
import { openChangeServices } from "../../change/services.ts";
import type { StepKind } from "../../narration/step-kind.ts";
import { openDispatcher } from "../../dispatch/dispatcher.ts";
import { protocolRole } from "../../dispatch/roles.ts";
import { forgeDispatch } from "../dispatch/dispatch.ts";
import type { Mode } from "../forge-run.ts";
import { openForgeLedger } from "../ledger/ledger.ts";
import { observationsOf } from "../ledger/observations.ts";
import type { CheckRow, DispatchRow } from "../ledger/rows.ts";
import { readForgeRun } from "../ledger/runs.ts";
import { FORGE_TABLES } from "../ledger/tables.ts";
import { forge, forgeChange, type ForgeRequest } from "../protocol.ts";
import { restoreFilesOfRun } from "../../change/restore-files.ts";
import { DEFAULT_ASSIGNMENTS } from "../rules/reviewers.ts";
import { FORGE_STEPS, type RecordedRoute } from "../steps.ts";
import { usualAnswer, type PlannedTask, type Said } from "./answers.ts";

/** Undefined: the usual answer. */
type Answering = Said | ((request: ProviderRequest) => Said | undefined | Promise<Said | undefined>);

/** By `role/instance.attempt`, `role/instance` or `role`; the longest key that fits answers. */
export type Script = Readonly<Record<string, Answering>>;

export interface ForgeOptions {
  readonly tasks?: readonly PlannedTask[] | number;
  readonly waves?: readonly (readonly number[])[];
  readonly script?: Script;
  readonly mode?: Mode;
  readonly request?: string;
  readonly feature?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly policy?: (text: string) => string;
  /** The model that answers; by default the one that the seed assigns to each reviewer. */
  readonly model?: (request: ProviderRequest) => string | null;
  readonly kernel?: ScratchOptions;
  /** Another run in the repository of this one. */
  readonly beside?: ForgeScene;
  /** Stops the engine at the first event for which it is true; each description stops it once. */
  readonly leaveAt?: (event: string) => boolean;
  /** Called before the run starts. */
  readonly prepare?: (scratch: ScratchKernel, run: string) => void;
}

/** The value of a recorded step, with its name. */
export interface RecordedStep {
  readonly name: string;
  readonly value: unknown;
}

/** A run of forge in a scratch repository: real engine, kernel, dispatcher, ledger and git; only the models are scripted. */
export interface ForgeScene {
  readonly scratch: ScratchKernel;
  readonly feature: string;
  readonly run: string;
  /** Every request that was sent to a model, in order. */
  readonly sent: readonly ProviderRequest[];
  /** `role attempt` of every first request of a dispatch, in order. */
  dispatched(): string[];
  /** Starts the run if it is new, and drives it as a new process would, until it ends, waits, or is stopped. */
  drive(): Promise<Outcome>;
  /** The result of a run that has ended. */
  finish(): Promise<FeatureResult>;
  open(): Promise<InboxQuestion[]>;
  answer(question: InboxQuestion, value: unknown): Promise<void>;
  steps(of?: string): Promise<RecordedStep[]>;
  /** The routing decisions, in order. */
  routes(): Promise<RecordedRoute[]>;
  /** The notes of the run, in order. */
  notes(): Promise<string[]>;
  /** The rows of the decision table that fired, in order. */
  rows(): Promise<number[]>;
  runId(): Promise<string>;
  checks(): Promise<readonly CheckRow[]>;
  telemetry(): Promise<readonly DispatchRow[]>;
  /** A file of the run folder, as it is on disk. */
  file(path: string): string;
  has(path: string): boolean;
  place(...path: readonly string[]): string;
  /** A file of the feature's worktree. */
  worktree(...path: readonly string[]): string;
  close(): Promise<void>;
}

const RUN = "2026-11-18_forge";

/** Ends like a run of `node --test`, so that it counts as one: a source file that says BUG is a failed test. */
const CHECK = `if grep -rn BUG src; then pass=0 fail=1; else pass=1 fail=0; fi
printf 'ℹ tests 1\\nℹ suites 0\\nℹ pass %s\\nℹ fail %s\\nℹ cancelled 0\\nℹ skipped 0\\nℹ todo 0\\nℹ duration_ms 1\\n' $pass $fail
exit $fail
`;

const FILES = { "check.sh": CHECK };

export async function openForgeScene(options: ForgeOptions = {}): Promise<ForgeScene> {
  const { script = {}, mode = "autonomous", request = REQUEST, feature = "parts", policy = (text: string) => text } = options;
  const tasks = typeof options.tasks === "number" ? tasksUpTo(options.tasks) : (options.tasks ?? tasksUpTo(1));
  const texts = {
    ...FILES,
    "slipway/policy.yaml": policy(POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,")),
  };
  const run = options.beside === undefined ? RUN : `${RUN}-${feature}`;
  const scratch = options.beside?.scratch ?? (await openScratchKernel({ ...texts, ...options.files }, options.kernel));
  const { kernel, records } = scratch;
  const { db, sqlite } = records.database;
  await migrateOwner(db, sqlite.path, FORGE_TABLES);
  options.prepare?.(scratch, run);
  const sent: ProviderRequest[] = [];
  const usual = (asked: ProviderRequest) => usualAnswer(asked, tasks, options.waves);
  const provider = scripted(script, usual, sent, options.model ?? (({ model }) => model));
  const dispatcher = openDispatcher({
    protocol: () => "forge",
    kernel,
    role: (name) => protocolRole("forge", name, async () => null),
    provider: async (_role, { modelKey }) => ({ model: modelOf(modelKey), provider }),
    onWarning: () => undefined,
  });
  const services = { ...openChangeServices(kernel, dispatcher), inner: new Map() };
  const { objects, clock, ids, inbox } = records;
  let engine: Engine | null = null;
  let left = false;
  const observe = ({ stream, kind, name }: { readonly stream: string; readonly kind: string; readonly name: string }) => {
    if (left || options.leaveAt?.(`${kind} ${stream} ${name}`) !== true) return;
    left = true;
    void engine?.close();
  };

  async function ledgerRows() {
    const row = await readForgeRun(db, featureRunId(run, feature));
    if (row === null) throw new Error("the run has not been set up");
    const ledger = openForgeLedger({ db, door: records.door, observations: observationsOf }, row.ledger);
    return ledger.rows(row.run_id);
  }

  async function closeEngine(): Promise<void> {
    await engine?.close();
    engine = null;
  }

  const place = (...path: readonly string[]) => join(records.layout.runs, run, ...path);
  const scene: ForgeScene = {
    scratch,
    feature,
    run,
    sent,
    dispatched: () => sent.filter(({ repair }) => repair === 0).map(({ role, attempt }) => `${role} ${attempt}`),
    async drive() {
      await closeEngine();
      await restoreFilesOfRun(records, run);
      const base = { sqlite, blobs: objects, clock, ids, inbox };
      engine = await openEngine({ ...base, workflows: [forge, forgeChange, forgeDispatch], kernel: services, observe });
      const spec_digest = await objects.put(Buffer.from(request));
      const input: ForgeRequest = { feature_id: feature, spec_digest, mode, skip_base_gates: true };
      await engine.start("forge", input, { runId: run });
      return engine.drive(run, { whenWaiting: "return" });
    },
    async finish() {
      const outcome = await scene.drive();
      if (outcome.status === "completed") return outcome.value as FeatureResult;
      throw new Error(`the run did not end: ${JSON.stringify(outcome)}`);
    },
    open: () => inbox.listOpen(),
    answer: async (question, value) => void (await records.answer({ id: question.id, value, by: PERSON })),
    async steps(of = `${run}/feature:${feature}`) {
      const events = (await engine?.events(of)) ?? [];
      const steps = events.filter(({ kind }) => kind === "step");
      return steps.map(({ name, payload }) => ({ name, value: (JSON.parse(payload) as { value: unknown }).value }));
    },
    routes: async () => valuesOf(FORGE_STEPS.route, await scene.steps()),
    rows: async () => (await scene.routes()).map(({ row }) => row),
    notes: async () => valuesOf(FORGE_STEPS.note, await scene.steps()),
    async runId() {
      return (await readForgeRun(db, featureRunId(run, feature)))?.run_id ?? "";
    },
    checks: async () => (await ledgerRows()).checks,
    telemetry: async () => (await ledgerRows()).telemetry,
    file: (path) => readFileSync(place(path), "utf8"),
    has: (path) => existsSync(place(path)),
    place,
    worktree: (...path) => join(scratch.root, ".worktrees", feature, ...path),
    async close() {
      await closeEngine();
      if (options.beside !== undefined) return;
      await scratch.close();
      rmSync(join(scratch.root, ".."), { recursive: true, force: true });
    },
  };
  return scene;
}

function valuesOf<Result>({ partsOf }: StepKind<Result>, steps: readonly RecordedStep[]): Result[] {
  return steps.filter(({ name }) => partsOf(name) !== null).map(({ value }) => value as Result);
}

/** Closed at the end of the test. */
export async function forgeScene(options: ForgeOptions = {}): Promise<ForgeScene> {
  const scene = await openForgeScene(options);
  onTestFinished(() => scene.close());
  return scene;
}

/** Long enough to raise no concern. */
const REQUEST = "Add the parts to `src`, each in a file of its own, so that they can be loaded one by one.";

export function tasksUpTo(count: number): PlannedTask[] {
  return Array.from({ length: count }, (_, index) => ({ number: index + 1 }));
}

function modelOf(modelKey: string | undefined): string {
  const focus = modelKey?.split("/")[1];
  return DEFAULT_ASSIGNMENTS.find(({ review_focus }) => review_focus === focus)?.model ?? "one-model";
}

function scripted(
  script: Script,
  usual: (request: ProviderRequest) => Said,
  sent: ProviderRequest[],
  model: (request: ProviderRequest) => string | null,
): Provider {
  return {
    name: "scripted",
    works: "prompt",
    async invoke(request) {
      sent.push(request);
      const { role, attempt } = request;
      const keys = [`${role}/${attempt}`, `${role}/${attempt.replace(/\.\d+$/, "")}`, role];
      const key = keys.find((one) => one in script);
      const answering = key === undefined ? undefined : script[key];
      const said = (typeof answering === "function" ? await answering(request) : answering) ?? usual(request);
      if (said instanceof Error) throw said;
      const usage = { input_tokens: 10, output_tokens: 5, cost_usd: 0 };
      return { text: typeof said === "string" ? said : JSON.stringify(said), usage, model: model(request) };
    },
  };
}
