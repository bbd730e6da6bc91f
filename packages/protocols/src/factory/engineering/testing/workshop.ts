import { migrateFactory } from "../../tables.ts";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { ProviderRequest } from "@slipway/agents/provider";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { openArtifacts, type Artifacts } from "../../artifacts/artifacts.ts";
import { inRange } from "../../code-index/range.ts";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import type { Contract } from "@slipway/languages/contracts/schema";
import { openScratchKernel, PERSON } from "@slipway/kernel/change/testing/scratch-kernel";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { openDispatcher } from "../../../dispatch/dispatcher.ts";
import { protocolRole } from "../../../dispatch/roles.ts";
import { artifactTools } from "../../artifact-tools.ts";
import { bodies } from "../../bodies.ts";
import { engineering, type EngineeringInput, type EngineeringResult } from "../engineering.ts";
import type {
  ContextPackDraft,
  ContributionDraft,
  EngineeringServices,
  EngineeringTask,
  RaiseAnswer,
  RoundRecord,
  SealedModule,
  ShippedModule,
} from "../ports.ts";
import type { KeptReport } from "../../reuse/schema.ts";
import type { MicroPlan } from "../micro-plan.ts";
import { CRITERIA, planOf } from "./modules.ts";
import { memoryView } from "./memory-view.ts";
import { rememberingReader, rememberingSandbox } from "./remembering.ts";

/** Shared by all tests of a file: the compiler caches parsed files. */
export const language = rememberingReader();

/** The answers of each role, in order; the last one repeats. `role/subject` takes precedence over the plain role. */
export type Script = Readonly<Record<string, readonly unknown[]>>;

export interface Asked {
  readonly role: string;
  readonly subject: string;
  readonly attempt: string;
  readonly prompt: string;
  sections(): Record<string, string>;
}

export interface Kept {
  readonly packs: (ContextPackDraft & { readonly context_pack_id: string })[];
  readonly contributions: (ContributionDraft & { readonly contribution_id: string })[];
  readonly rounds: (Pick<RoundRecord, "debate" | "round"> & { readonly file: string; readonly body: unknown })[];
  readonly reports: KeptReport[];
  readonly plans: { readonly plan: MicroPlan; readonly contracts: readonly Contract[] }[];
  readonly sealed: SealedModule[];
  readonly registered: { readonly module_id: string; readonly version: string }[];
  readonly raised: unknown[];
}

export interface Workshop {
  readonly asked: Asked[];
  readonly kept: Kept;
  readonly artifacts: Artifacts;
  readonly engine: Engine;
  run(input?: Partial<EngineeringTask>, resumption?: EngineeringInput["resumption"]): Promise<EngineeringResult>;
  steps(): Promise<string[]>;
  /** The result of every step, by name. */
  results(): Promise<Record<string, unknown>>;
  /** The retry_count of every routing, as it was recorded. */
  counts(): Promise<number[]>;
  answerNext(value: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface WorkshopOptions {
  /** Modules shipped before the run. */
  readonly shipped?: readonly ShippedModule[];
  readonly raise?: () => RaiseAnswer;
  /** Called before each use of the index. */
  readonly beforeIndex?: (what: "search" | "register") => void;
  /** A Proposer that works on files: its edits in the folder, and its answer. */
  readonly folderProposer?: (folder: string, attempt: string) => unknown;
}

export const TASK: EngineeringTask = {
  task_id: "T-reading-numbers-doubling-double",
  task_ref: "T-reading-numbers-doubling-double@1.0.0",
  pillar: "reading",
  task_path: "reading/numbers/doubling/T-reading-numbers-doubling-double.md",
  task_file: "# Task: Double\n\nThe secret word of the task is heliotrope.\n",
  acceptance_criteria: CRITERIA,
  dependencies: [],
};

/** Real kernel, engine, dispatcher, compiler and sandbox; models are scripted, and the store is in memory. */
export async function openWorkshop(script: Script, options: WorkshopOptions = {}): Promise<Workshop> {
  const scratch = await openScratchKernel();
  const { kernel, records } = scratch;
  const { database, door, objects, clock, ids, inbox } = records;
  await migrateFactory(database.db, database.sqlite.path);
  const artifacts = openArtifacts({
    db: database.db,
    door,
    objects,
    fs: nodeFileSystem,
    folder: join(scratch.root, ".slipway/state_store"),
    bodies,
  });
  const kept: Kept = { packs: [], contributions: [], rounds: [], reports: [], plans: [], sealed: [], registered: [], raised: [] };
  const asked: Asked[] = [];
  const turns = new Map<string, number>();
  const dispatcher = openDispatcher({
    protocol: () => "factory",
    kernel,
    role: (name) => protocolRole("factory", name, async () => null),
    provider: async (role) => ({
      model: null,
      provider: {
        name: "scripted",
        works: role === "proposer" && options.folderProposer !== undefined ? "folder" : "prompt",
        invoke: (request) => answer(request),
      },
    }),
    onWarning: () => undefined,
  });

  async function answer({ role, subject, attempt, prompt, input, workplace }: ProviderRequest) {
    const sections = () =>
      Object.fromEntries([...input.context_bundle.map(({ title, text }) => [title, text]), ["results", input.last_tool_results]]);
    asked.push({ role, subject, attempt, prompt, sections });
    if (workplace !== null) return reply(options.folderProposer?.(workplace.folder, attempt));
    const key = script[`${role}/${subject}`] === undefined ? role : `${role}/${subject}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    const answers = script[key] ?? [];
    const said = answers[Math.min(turn, answers.length - 1)];
    if (said instanceof Error) throw said;
    const value: unknown = typeof said === "function" ? (said as (shown: Record<string, string>) => unknown)(sections()) : said;
    return reply(value);
  }

  const once = new Map<string, unknown>();
  /** Like the real store, performs a repeated call once. */
  const doOnce = async <T>({ operationId }: { readonly operationId: string }, body: () => T): Promise<T> => {
    if (!once.has(operationId)) once.set(operationId, body());
    return once.get(operationId) as T;
  };
  const allShipped = (): ShippedModule[] => [...(options.shipped ?? []), ...kept.sealed.map(shippedFrom)];
  const services: EngineeringServices = {
    kernel: {
      clock: kernel.clock,
      budget: kernel.budget,
      sandbox: rememberingSandbox,
      configuration: kernel.configuration,
    },
    dispatcher,
    language,
    store: {
      artifacts,
      keepContextPack: (call, draft) =>
        doOnce(call, () => numbered(kept.packs, draft, { context_pack_id: `CP-${randomUUID().slice(0, 8)}` })),
      keepContribution: (call, draft) =>
        doOnce(call, () => numbered(kept.contributions, draft, { contribution_id: `CONTRIB-${randomUUID().slice(0, 8)}` })),
      keepRound: (call, { files, ...where }) =>
        doOnce(call, () => kept.rounds.push(...Object.entries(files).map(([file, body]) => ({ ...where, file, body })))),
      keepReuseReport: (call, report) =>
        doOnce(call, () => numbered(kept.reports, report, { report_id: `RSR-${randomUUID().slice(0, 8)}` })),
      lockPlan: (call, locked) => doOnce(call, () => kept.plans.push(locked)),
      async shippedModule(ref) {
        const [id, range = "*"] = ref.split("@");
        return allShipped().findLast((module) => module.module_id === id && inRange(module.version, range)) ?? null;
      },
      async latestVersion(id) {
        const found = allShipped().findLast(({ module_id }) => module_id === id);
        return found === undefined ? null : { version: found.version, fingerprint: fingerprintOf(found.contract) };
      },
      sealModule: (call, module) => doOnce(call, () => kept.sealed.push(module)),
    },
    view: memoryView(allShipped),
    index: {
      async search(query) {
        options.beforeIndex?.("search");
        return { query_was_about: query.slice(0, 20), results: [] };
      },
      async reuseFacts({ modules }) {
        const known = allShipped().map(({ module_id, version }) => `${module_id}@${version}`);
        return Object.fromEntries(modules.map(({ module_id }) => [module_id, { known, returned: [], alike: [] }]));
      },
      outOfUse: async () => [],
      async register(call, entry) {
        options.beforeIndex?.("register");
        return doOnce(call, () => kept.registered.push({ module_id: entry.module_id, version: entry.version }));
      },
    },
    artifactTools: artifactTools(artifacts, async (_role, input) => ({ searched: input })),
    exceptions: {
      raise: (call, raised) =>
        doOnce(call, () => {
          kept.raised.push(raised);
          return options.raise?.() ?? { ok: true, exception_id: "ICE-0123abcd" };
        }),
    },
    schemas: { ReuseSearchReport: { type: "object" } },
    repoRevision: async () => "0123456789abcdef",
    objectFormat: "sha1",
  };
  const engine = await openEngine({
    sqlite: database.sqlite,
    blobs: objects,
    clock,
    ids,
    inbox,
    workflows: [engineering],
    kernel: services,
  });
  let runId = "";

  return {
    asked,
    kept,
    artifacts,
    engine,
    async run(task = {}, resumption) {
      const input: EngineeringInput = { task: { ...TASK, ...task }, ...(resumption === undefined ? {} : { resumption }) };
      runId = await engine.start("factory-task", JSON.parse(JSON.stringify(input)) as EngineeringInput);
      const outcome = await engine.drive(runId);
      if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
      return outcome.value as EngineeringResult;
    },
    async steps() {
      return (await engine.events(runId)).filter(({ kind }) => kind === "step").map(({ name }) => name);
    },
    async results() {
      const steps = (await engine.events(runId)).filter(({ kind }) => kind === "step");
      return Object.fromEntries(steps.map(({ name, payload }) => [name, (JSON.parse(payload) as { value?: unknown }).value]));
    },
    async counts() {
      const routed = (await engine.events(runId)).filter(({ kind, name }) => kind === "step" && name.includes("/route:"));
      return routed.map(({ payload }) => Number(/"retry_count":(\d+)/.exec(payload)?.[1]));
    },
    async answerNext(value) {
      const [question] = await inbox.listOpen();
      if (question === undefined) throw new Error("nothing is asked");
      await records.answer({ id: question.id, value, by: PERSON });
      await engine.drive(runId);
    },
    async close() {
      await engine.close();
      await scratch.close();
    },
  };
}

function reply(value: unknown) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { text, usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, model: "scripted" };
}

function numbered<D extends object, N extends object>(list: (D & N)[], draft: D, id: N): N {
  list.push({ ...draft, ...id });
  return id;
}

export function shippedFrom({ module_id, version, files, depends_on }: SealedModule): ShippedModule {
  const contract = JSON.parse(files["contract.json"] ?? "{}") as Contract;
  const ship = JSON.parse(files["ship.json"] ?? "{}") as ShippedModule["ship"];
  return { module_id, version, contract, examples: files["examples.md"] ?? "", ship, depends_on, sources: files };
}

/** One module, and a planner that plans it. */
export const ONE_MODULE = { planner: [planOf(["MM-twice"])] };
