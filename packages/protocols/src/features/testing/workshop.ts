import { COMMENT, REPLY, RESULTS } from "@slipway/agents/invoke";
import type { Pack } from "@slipway/agents/pack";
import { openEngine, type Engine } from "@slipway/durable/engine";
import {
  addFile,
  openScratchKernel,
  PERSON,
  POLICY,
  replaceLine,
  scratchPlan,
  type ApprovedFacts,
} from "@slipway/kernel/change/testing/scratch-kernel";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { acquireWithin, heldLocks } from "@slipway/kernel/change/turn/locks/store";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { AgentDispatcher, AgentRequest, Reply } from "../../dispatch/dispatcher.ts";
import { features, type FeaturesInput } from "../protocol.ts";
import type { FeatureResult } from "../../change/feature-run.ts";
import type { Retry } from "../retry.ts";
import { openChangeServices } from "../../change/services.ts";

export interface Asked {
  readonly role: string;
  readonly subject: string;
  readonly attempt: string;
  readonly pack: Pack;
}

/** A worker's answer: a value, or a function of its pack. */
export type Scripted = unknown;

/**
 * The answers of a role to its invocations, in order; the last one is repeated. `role/feature`
 * is for the worker of that feature, the plain role for all others.
 */
export type Script = Readonly<Record<string, readonly Scripted[]>>;

export interface Workshop {
  readonly root: string;
  readonly kernel: Kernel;
  readonly engine: Engine;
  readonly asked: Asked[];
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  start(...features: readonly string[]): Promise<string>;
  startWith(maxActive: number, ...features: readonly string[]): Promise<string>;
  /** Starts a run that retries a feature that has ended. */
  retry(feature: string, retry: Retry): Promise<string>;
  drive(runId: string): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  open(): Promise<InboxQuestion[]>;
  answer(question: InboxQuestion, value: unknown): Promise<void>;
  approve(question: InboxQuestion): Promise<string>;
  /** Whether gates find a sandbox from now on. */
  breakSandbox(error: Error | null): void;
  /** The operations performed through the door, with their actors. */
  operations(): Promise<{ readonly name: string; readonly actor: { readonly type: string; readonly id: string } }[]>;
  /** Names of the recorded steps of one feature, in order. */
  steps(runId: string, feature?: string): Promise<string[]>;
  packs(role: string, subject?: string): Pack[];
  locks(): Promise<{ resource: string; holder: string }[]>;
  expireLocks(): Promise<void>;
  takeLock(resource: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

export interface WorkshopOptions {
  /** Replacements in slipway/policy.yaml: old text and new text. */
  readonly policy?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** How long a worker that ignores the abort signal may take to end. */
  readonly graceMs?: number;
  /** None by default. */
  readonly sandbox?: Sandbox;
  /** Replaces the scripted one. */
  readonly dispatcher?: (kernel: Kernel) => AgentDispatcher;
}

/** A real repository, database, engine and gate; only the agents are scripted. */
export async function openWorkshop(script: Script, options: WorkshopOptions = {}): Promise<Workshop> {
  const policy = Object.entries(options.policy ?? {}).reduce((text, [from, to]) => replaceOnce(text, from, to), POLICY);
  const scratch = await openScratchKernel(
    { "slipway/policy.yaml": policy, ...options.files },
    options.sandbox === undefined ? {} : { sandbox: options.sandbox },
  );
  const { root, kernel, records, git, write, read, sign } = scratch;
  const asked: Asked[] = [];
  const turns = new Map<string, number>();
  const dispatcher = {
    async invoke<T>({ role, subject, attempt, pack, schema }: AgentRequest<T>): Promise<Reply<T>> {
      asked.push({ role, subject, attempt, pack });
      const worker = `${role}/${subject}`;
      const turn = turns.get(worker) ?? 0;
      turns.set(worker, turn + 1);
      const answers = script[worker] ?? script[role] ?? [];
      const answer = answers[Math.min(turn, answers.length - 1)];
      return answerOf(typeof answer === "function" ? await answer(pack) : answer, schema.parse.bind(schema));
    },
  };
  const { database, objects, clock, ids, inbox } = records;
  const engine = await openEngine({
    sqlite: database.sqlite,
    blobs: objects,
    clock,
    ids,
    inbox,
    workflows: [features],
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
    kernel: { ...openChangeServices(kernel, options.dispatcher?.(kernel) ?? dispatcher), inner: new Map() },
  });

  async function startWith(max_active_features: number, names: readonly string[], retry?: Retry): Promise<string> {
    const specs = (names.length === 0 ? ["letters"] : names).map(async (feature_id) => ({
      feature_id,
      spec_source: `${feature_id}.md`,
      spec_digest: await objects.put(Buffer.from(`# ${feature_id}\n\nChange the letters.\n`)),
      ...(retry === undefined ? {} : { retry }),
    }));
    const input: FeaturesInput = { max_active_features, specs: await Promise.all(specs) };
    return engine.start("features", input);
  }

  return {
    root,
    kernel,
    engine,
    asked,
    git,
    write,
    read,
    start: (...names) => startWith(5, names),
    startWith: (maxActive, ...names) => startWith(maxActive, names),
    retry: (name, retry) => startWith(5, [name], retry),
    drive: (runId) => engine.drive(runId),
    open: () => inbox.listOpen(),
    async answer(question, value) {
      await records.answer({ id: question.id, value, by: PERSON });
    },
    async approve(question) {
      const token = sign(question.context as ApprovedFacts);
      await records.answer({ id: question.id, value: { decision: "approve", token }, by: PERSON });
      return token;
    },
    breakSandbox: scratch.breakSandbox,
    async operations() {
      const events = (await engine.events("repository")).filter(({ kind }) => kind === "operation");
      return events.map(({ name, payload }) => ({ name, actor: (JSON.parse(payload) as { actor: { type: string; id: string } }).actor }));
    },
    async steps(runId, feature = "letters") {
      const events = await engine.events(`${runId}/feature:${feature}`);
      return events.filter(({ kind }) => kind === "step").map(({ name }) => name);
    },
    packs: (role, subject = "letters") => asked.filter((one) => one.role === role && one.subject === subject).map(({ pack }) => pack),
    locks: async () => (await heldLocks(database.db)).map(({ resource, holder }) => ({ resource, holder })),
    async expireLocks() {
      await database.db.updateTable("locks").set({ expires_at: 0 }).execute();
    },
    async takeLock(resource, holder) {
      const request = { resources: [resource], holder, ttlMs: 60_000, allowed: [resource], leaseId: () => "lease" };
      await database.db.transaction().execute((tx) => acquireWithin(tx, request, clock.now()));
    },
    async close() {
      await engine.close();
      await scratch.close();
    },
  };
}

function replaceOnce(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the policy does not say ${from}`);
  return text.replace(from, to);
}

/** A failure is scripted as the error that the dispatcher would return or throw. */
function answerOf<T>(answer: unknown, parse: (value: unknown) => T): Reply<T> {
  if (answer instanceof Error) throw answer;
  if (typeof answer === "object" && answer !== null && "failure" in answer) return answer as unknown as Reply<T>;
  return { ok: true, value: parse(answer) };
}

/** The text of a pack under a title. */
const TOLD: ReadonlySet<string> = new Set([COMMENT, REPLY, RESULTS]);

/** What the worker was told of its last attempt. */
export function toldIn(pack: Pack | undefined): string {
  const told = pack?.sections.filter(({ kind }) => TOLD.has(kind)) ?? [];
  return told.length === 0 ? "none" : told.map(({ text }) => text).join("\n\n");
}

export function section(pack: Pack | undefined, title: string): string {
  return pack?.sections.find((one) => one.title === title)?.text ?? "";
}

export function planFor(feature = "letters", changes: Record<string, unknown> = {}) {
  return { type: "PLAN_SUBMISSION", plan: scratchPlan(feature, changes) };
}

export function patchOf(path: string, from: string, to: string) {
  return { type: "PATCH", summary: `${from} to ${to}`, unified_diff: replaceLine(path, from, to) };
}

export function newFile(path: string, text: string) {
  return { type: "PATCH", summary: `new ${path}`, unified_diff: addFile(path, text) };
}

/** A QA that marks every entry it sees as passed. */
export const NOTHING_MISSING = (pack: Pack) => ({ type: "NOTE", text: "every criterion is covered", updates: verdicts(pack, "passed") });

/** One verdict on every entry of the test index that the pack shows. */
export function verdicts(pack: Pack, status: string) {
  const shown = pack.sections.find(({ kind }) => kind === "qa_index");
  const { pending } = JSON.parse(shown?.text ?? '{"pending":[]}') as { pending: { path: string; hunks: Hunk[] }[] };
  return pending.map(({ path, hunks }) => ({ path, hunks: hunks.map(({ start_line, end_line }) => ({ start_line, end_line })), status }));
}

interface Hunk {
  readonly start_line: number;
  readonly end_line: number;
}

/** A QA answer with a patch and a verdict on every entry it saw. */
export const withVerdicts = (output: object) => (pack: Pack) => ({ ...output, updates: verdicts(pack, "passed") });

export function resultOf(outcome: { status: string; value?: unknown }): FeatureResult | undefined {
  return outcome.status === "completed" ? (outcome.value as FeatureResult[])[0] : undefined;
}
