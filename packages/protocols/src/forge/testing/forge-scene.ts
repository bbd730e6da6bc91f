import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { workflow } from "@slipway/durable/ctx";
import { openEngine, type Engine } from "@slipway/durable/engine";
import type { Outcome } from "@slipway/durable/outcome";
import { openScratchKernel, PERSON, POLICY, type ScratchKernel, type ScratchOptions } from "@slipway/kernel/change/testing/scratch-kernel";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { onTestFinished } from "vitest";
import { featureRunId, type FeatureResult } from "../../change/feature-run.ts";
import { openChangeServices, type ChangeServices } from "../../change/services.ts";
import type { StepKind } from "../../narration/step-kind.ts";
import { openDispatcher } from "../../dispatch/dispatcher.ts";
import { protocolRole } from "../../dispatch/roles.ts";
import { forgeDispatch, type Dispatched, type DispatchedAttempt } from "../dispatch/dispatch.ts";
import type { Dispatch } from "../dispatch/dispatches.ts";
import type { ForgeRef, Mode } from "../forge-run.ts";
import { openForgeLedger } from "../ledger/ledger.ts";
import { observationsOf } from "../ledger/observations.ts";
import type { CheckRow, DispatchRow } from "../ledger/rows.ts";
import { readForgeRun } from "../ledger/runs.ts";
import { FORGE_TABLES } from "../ledger/tables.ts";
import { forge, forgeChange, type ForgeRequest } from "../protocol.ts";
import { restoreFilesOfRun } from "../../change/restore-files.ts";
import { DEFAULT_ASSIGNMENTS } from "../rules/reviewers.ts";
import { baselineTag } from "../rules/run-id.ts";
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
  /** Agents with a folder write the files of their scripted answers there; by default a model only answers. */
  readonly works?: Provider["works"];
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

interface RefusedEvent {
  readonly role: string;
  readonly refusals: readonly { readonly tool: string; readonly path: string | null; readonly reason: string }[];
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
  /** Carries out these dispatches beside the run, which has stopped: each once, in its own time. */
  dispatch(dispatches: readonly Dispatch[]): Promise<Dispatched[]>;
  /** The result of a run that has ended. */
  finish(): Promise<FeatureResult>;
  open(): Promise<InboxQuestion[]>;
  answer(question: InboxQuestion, value: unknown): Promise<void>;
  steps(of?: string): Promise<RecordedStep[]>;
  /** The routing decisions, in order. */
  routes(): Promise<RecordedRoute[]>;
  /** The notes of the run, in order. */
  notes(): Promise<string[]>;
  /** What agents tried and were not allowed, as the journal has it. */
  refused(): Promise<RefusedEvent[]>;
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
  const answers = scripted(script, usual, sent, options.model ?? (({ model }) => model));
  const provider = options.works === "folder" ? inFolder(answers) : answers;
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
    async dispatch(dispatches) {
      await closeEngine();
      const row = await readForgeRun(db, featureRunId(run, feature));
      if (row === null) throw new Error("the run has not been set up");
      const { run_id, ledger, run_key } = row;
      const whole = { feature_id: feature, spec_source: "", spec_digest: "", run_id: run, order: [feature], alone: true } as const;
      const ref: ForgeRef = { feature: whole, mode, run_id, ledger, run_key, tag: baselineTag(run_id) };
      const attempts = dispatches.map((one): DispatchedAttempt => ({ ref, dispatch: one, attempt: 1, withRolesModel: false }));
      const base = { sqlite, blobs: objects, clock, ids, inbox };
      engine = await openEngine({ ...base, workflows: [besideRun, forgeDispatch], kernel: services });
      await engine.start("beside", attempts, { runId: `${run}-beside` });
      const outcome = await engine.drive(`${run}-beside`, { whenWaiting: "return" });
      if (outcome.status === "completed") return outcome.value as Dispatched[];
      throw new Error(`the dispatches did not end: ${JSON.stringify(outcome)}`);
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
    async refused() {
      const events = (await engine?.events("repository")) ?? [];
      const refusals = events.filter(({ name }) => name === "agent.refused");
      return refusals.map(({ payload }) => (JSON.parse(payload) as { event: RefusedEvent }).event);
    },
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

const besideRun = workflow<DispatchedAttempt[], Dispatched[], ChangeServices>("beside", "1", (ctx, attempts) =>
  ctx.all(
    attempts.map((one) => () => ctx.child(`${one.dispatch.role}:${one.dispatch.instance}`, forgeDispatch, one)),
    { limit: 4 },
  ),
);

interface Written {
  readonly output: unknown;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

/** The same agent in a folder: it writes its files there and answers without them. */
function inFolder(answers: Provider): Provider {
  return {
    ...answers,
    works: "folder",
    async invoke(request, signal) {
      const reply = await answers.invoke(request, signal);
      if (!reply.text.startsWith('{"output":')) return reply;
      const { output, files } = JSON.parse(reply.text) as Written;
      for (const { path, content } of files) {
        const place = join(request.workplace?.folder ?? "", path);
        mkdirSync(dirname(place), { recursive: true });
        writeFileSync(place, content);
      }
      return { ...reply, text: JSON.stringify(output) };
    },
  };
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
