import type { Pack } from "@slipway/agents/pack";
import { openEngine, type Engine } from "@slipway/durable/engine";
import {
  addFile,
  openScratchKernel,
  PERSON,
  replaceLine,
  scratchPlan,
  type ApprovedFacts,
} from "@slipway/kernel/features/testing/scratch-kernel";
import type { Kernel } from "@slipway/kernel/kernel";
import { acquireWithin, heldLocks } from "@slipway/kernel/locks/store";
import type { InboxQuestion } from "@slipway/kernel/questions/question";
import type { Commission, Reply } from "../../desk.ts";
import { features, type FeatureResult, type FeaturesInput } from "../protocol.ts";

export interface Asked {
  readonly role: string;
  readonly attempt: string;
  readonly pack: Pack;
}

/** What the scripted worker of a role answers to each of its invocations, in order; the last answer is repeated. */
export type Script = Readonly<Record<string, readonly unknown[]>>;

export interface Workshop {
  readonly root: string;
  readonly kernel: Kernel;
  readonly engine: Engine;
  readonly asked: Asked[];
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  start(feature?: string): Promise<string>;
  drive(runId: string): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  open(): Promise<InboxQuestion[]>;
  answer(question: InboxQuestion, value: unknown): Promise<void>;
  approve(question: InboxQuestion): Promise<string>;
  /** From now on gates find no sandbox, or one again. */
  breakSandbox(error: Error | null): void;
  locks(): Promise<{ resource: string; holder: string }[]>;
  expireLocks(): Promise<void>;
  takeLock(resource: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

/** A real repository, database, engine and gate; only the agents are scripted. */
export async function openWorkshop(script: Script): Promise<Workshop> {
  const scratch = await openScratchKernel();
  const { root, kernel, records, git, write, read, sign } = scratch;
  const asked: Asked[] = [];
  const turns = new Map<string, number>();
  const desk = {
    async invoke<T>({ role, attempt, pack, schema }: Commission<T>): Promise<Reply<T>> {
      asked.push({ role, attempt, pack });
      const turn = turns.get(role) ?? 0;
      turns.set(role, turn + 1);
      const answers = script[role] ?? [];
      return answerOf(answers[Math.min(turn, answers.length - 1)], schema.parse.bind(schema));
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
    kernel: { kernel, desk },
  });

  return {
    root,
    kernel,
    engine,
    asked,
    git,
    write,
    read,
    async start(feature = "letters") {
      const spec_digest = await objects.put(Buffer.from(`# ${feature}\n\nChange the letters.\n`));
      const input: FeaturesInput = { max_active_features: 5, specs: [{ feature_id: feature, spec_source: `${feature}.md`, spec_digest }] };
      return engine.start("features", input);
    },
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

/** A failure is scripted as the error that the desk would have returned or thrown. */
function answerOf<T>(answer: unknown, parse: (value: unknown) => T): Reply<T> {
  if (answer instanceof Error) throw answer;
  if (typeof answer === "object" && answer !== null && "failure" in answer) return answer as unknown as Reply<T>;
  return { ok: true, value: parse(answer) };
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

export const NOTHING_MISSING = { type: "NOTE", text: "every criterion is covered" };

export function resultOf(outcome: { status: string; value?: unknown }): FeatureResult | undefined {
  return outcome.status === "completed" ? (outcome.value as FeatureResult[])[0] : undefined;
}
