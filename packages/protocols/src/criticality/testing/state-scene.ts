import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@slipway/agents/provider";
import { workflow, type Ctx } from "@slipway/durable/ctx";
import type { Clock } from "@slipway/durable/environment";
import { openEngine, type Engine } from "@slipway/durable/engine";
import type { Outcome } from "@slipway/durable/outcome";
import { openScratchKernel, PERSON, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import { languageAdapter } from "@slipway/languages/adapters";
import { openChangeServices } from "../../change/services.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import { openDispatcher } from "../../dispatch/dispatcher.ts";
import { protocolRole } from "../../dispatch/roles.ts";
import { parseConfig } from "../config/config.ts";
import type { Facts } from "../machine/facts.ts";
import { openSession, type OpenedSession } from "../open-session.ts";
import { CRITICALITY_TABLES } from "../tables.ts";
import { openCodeTools } from "../workspace/code-tools.ts";

export interface StateScene {
  readonly folder: string;
  readonly records: Awaited<ReturnType<typeof openScratchKernel>>["records"];
  /** Runs as a new process would. */
  drive(): Promise<Outcome>;
  question(): Promise<InboxQuestion>;
  answer(value: unknown): Promise<void>;
  steps(): Promise<string[]>;
  file(path: string): string | null;
  json<T>(path: string): T;
  settle(): Promise<void>;
  close(): Promise<void>;
}

export const RUN_ID = "state-run";
/** A provider that cannot be reached is not waited for. */
const ASKS_AT_ONCE = "{ version: 1, roles: {}, runtime: { outage_minutes: 0 } }\n";

export interface StateSceneOptions {
  readonly policy?: string;
  readonly clock?: Clock;
  /** The answer of every model. */
  readonly answer?: (request: Parameters<Provider["invoke"]>[0]) => unknown;
  /** The text of slipway/criticality.toml. */
  readonly config?: string;
  /** May put itself before the adapter of TypeScript. */
  readonly wrap?: (adapter: LanguageAdapter) => LanguageAdapter;
}

/** A session with a real engine, kernel and files, in which `work` takes transitions. */
export async function openStateScene(
  work: (session: OpenedSession, ctx: Ctx) => Promise<unknown>,
  { policy = POLICY, clock: ownClock, answer = () => ({}), config: configText, wrap = (adapter) => adapter }: StateSceneOptions = {},
): Promise<StateScene> {
  const files = { "slipway/policy.yaml": policy, "slipway/agents.yaml": ASKS_AT_ONCE };
  const scratch = await openScratchKernel(files, ownClock === undefined ? {} : { clock: ownClock });
  const { kernel, records } = scratch;
  await migrateOwner(records.database.db, records.database.sqlite.path, CRITICALITY_TABLES);
  const usage = { input_tokens: 100, output_tokens: 10, cost_usd: 0.25 };
  const provider: Provider = {
    name: "scripted",
    works: "prompt",
    invoke: async (request) => ({ text: JSON.stringify(answer(request)), usage, model: request.model ?? "scripted-1" }),
  };
  const dispatcher = openDispatcher({
    protocol: () => "criticality",
    kernel,
    role: (name) => protocolRole("criticality", name, async () => null),
    // A call with a model of its own is recorded with the key as its model.
    provider: async (_role, { modelKey = null }) => ({ model: modelKey, provider }),
    onWarning: () => undefined,
  });
  const language = wrap(await languageAdapter("typescript", { env: {} }));
  const { config } = parseConfig(configText ?? null);
  const services = { ...openChangeServices(kernel, dispatcher), openTools: openCodeTools };
  const input = { project: "bank", idea: null, spec_digest: null, config_text: null, project_files: {} };
  const flow = workflow("state-test", "1", async (ctx: Ctx) => {
    const session = await openSession(ctx, input, { services, config, language });
    try {
      return (await work(session, ctx)) ?? null;
    } catch (error) {
      if (error instanceof GivenUp) return { given_up: error.message };
      throw error;
    } finally {
      await session.tools.close();
    }
  });
  let engine: Engine | null = null;
  const folder = records.layout.run(RUN_ID);
  const file = (path: string) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : null);
  const scene: StateScene = {
    folder,
    records,
    file,
    json: <T>(path: string) => JSON.parse(file(path) ?? "null") as T,
    async drive() {
      await engine?.close();
      const { database, objects, clock, ids, inbox } = records;
      engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [flow], kernel: null });
      await engine.start(flow.name, {}, { runId: RUN_ID });
      return engine.drive(RUN_ID, { whenWaiting: "return" });
    },
    async question() {
      const [only, ...others] = await records.inbox.listOpen();
      if (only === undefined || others.length > 0) throw new Error(`${others.length + (only === undefined ? 0 : 1)} questions are open`);
      return only;
    },
    answer: async (value) => void (await records.answer({ id: (await scene.question()).id, value, by: PERSON })),
    steps: async () => ((await engine?.events(RUN_ID)) ?? []).filter(({ kind }) => kind === "step").map(({ name }) => name),
    settle: () => kernel.notifier.settle(),
    async close() {
      await engine?.close();
      await scratch.close();
    },
  };
  return scene;
}

const CLEAN: Facts = { contradictions: { found: [], severity: "simple" } };
const FUNCTIONS = { remaining: ["src/a.ts#f"], completed: [], failed: [], holes: 1, breaker: null };

/** Facts that lead from the start to the named phase, one transition each. */
export const WAY: Readonly<Record<"lattice" | "compositionAudit" | "injection", readonly Facts[]>> = {
  lattice: [{ artifacts: ["allAnswers"] }, { artifacts: ["revisedProposal"] }, { humanResponse: "approve", artifacts: ["spec"] }],
  compositionAudit: [{ artifacts: ["lattice"] }, { compile: "passed" }],
  injection: [CLEAN, CLEAN, CLEAN, { ...CLEAN, functions: FUNCTIONS }],
};
