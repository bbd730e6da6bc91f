import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider, ProviderReply, ProviderRequest } from "@slipway/agents/provider";
import { replayProvider } from "@slipway/agents/replay";
import { digestOf } from "@slipway/durable/canonical";
import { openEngine, type Engine } from "@slipway/durable/engine";
import type { Outcome } from "@slipway/durable/outcome";
import { openScratchKernel, PERSON, POLICY, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import { languageAdapter } from "@slipway/languages/adapters";
import { openChangeServices } from "../../change/services.ts";
import { bundledAnswers, cassetteOf, demoFolder, type DemoAnswers } from "../../demo/files.ts";
import { openDispatcher } from "../../dispatch/dispatcher.ts";
import { protocolRole } from "../../dispatch/roles.ts";
import { deliverProgram } from "../deliver-program.ts";
import type { CriticalityInput } from "../input.ts";
import { criticality, type CriticalityServicesOfRun } from "../protocol.ts";
import { CRITICALITY_TABLES } from "../tables.ts";
import { openCodeTools, type CodeTools } from "../workspace/code-tools.ts";

const RUN = "program";
const DEMO = { folder: demoFolder("criticality") };

export interface ProgramRunOptions {
  /** Stops the run after this many events, each time; drive it again to continue. */
  readonly leaveAfter?: number;
  /** Added to the demo's criticality.toml. */
  readonly config?: string;
  /** Changes the person's answers before they are given. */
  readonly said?: (question: InboxQuestion, value: Record<string, unknown>) => Record<string, unknown>;
  /** Changes a model's answer before the run sees it. */
  readonly replied?: (request: ProviderRequest, output: Record<string, unknown>) => Record<string, unknown>;
}

/** A run of the demo's program: real engine, kernel, compiler and tests; recorded models, and a person with the demo's answers. */
export interface ProgramRun {
  /** Every request that was sent to a model, in order. */
  readonly sent: readonly ProviderRequest[];
  readonly scratch: ScratchKernel;
  /** The run's folder. */
  readonly folder: string;
  /** Drives the run as a new process would, until it waits, ends, or is stopped. */
  drive(): Promise<Outcome>;
  /** Answers the open questions; false if the demo has no answer. */
  answer(): Promise<boolean>;
  /** To the end, over as many processes as it takes. */
  finish(): Promise<Outcome>;
  /** The names and places of the transitions, as recorded. */
  transitions(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openProgramRun({ leaveAfter = Infinity, config = "", said, replied }: ProgramRunOptions = {}): Promise<ProgramRun> {
  const files = {
    "slipway/policy.yaml": POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,"),
    "slipway/gates.yaml": GATES,
  };
  const scratch = await openScratchKernel(files, { sandbox: await openSandbox() });
  const { kernel, records } = scratch;
  await migrateOwner(records.database.db, records.database.sqlite.path, CRITICALITY_TABLES);
  const sent: ProviderRequest[] = [];
  const provider = recording(await replayProvider({ folder: cassetteOf(DEMO) }), sent, replied);
  const dispatcher = openDispatcher({
    protocol: () => "criticality",
    kernel,
    role: (name) => protocolRole("criticality", name, async () => null),
    provider: async () => ({ model: null, provider }),
    onWarning: () => undefined,
  });
  const language = await rememberedLanguage();
  const opened = new Set<CodeTools>();
  const services: CriticalityServicesOfRun = {
    ...openChangeServices(kernel, dispatcher),
    languages: async () => language,
    openTools(parts) {
      const tools = openCodeTools(parts);
      opened.add(tools);
      return tools;
    },
  };
  const answers: DemoAnswers = { ...(await bundledAnswers(DEMO)), tests_not_run: [{ decision: "without_tests" }] };
  const given = new Map<string, number>();
  let engine: Engine | null = null;

  async function end(): Promise<void> {
    await engine?.close();
    engine = null;
    await Promise.all([...opened].map((tools) => tools.close()));
    opened.clear();
  }

  const run: ProgramRun = {
    sent,
    scratch,
    folder: records.layout.run(RUN),
    async drive() {
      await end();
      const { database, objects, clock, ids, inbox } = records;
      let seen = 0;
      const observe = () => {
        if (++seen === leaveAfter) void engine?.close();
      };
      const base = { sqlite: database.sqlite, blobs: objects, clock, ids, inbox };
      engine = await openEngine({ ...base, workflows: [criticality, deliverProgram], kernel: services, observe });
      await engine.start(criticality.name, { ...INPUT, config_text: `${INPUT.config_text}\n${LONG_LIMITS}\n${config}` }, { runId: RUN });
      return engine.drive(RUN, { whenWaiting: "return" });
    },
    async answer() {
      let count = 0;
      for (const question of await records.inbox.listOpen()) {
        const number = given.get(question.kind) ?? 0;
        const value = answers[question.kind]?.[number];
        if (value === undefined) continue;
        given.set(question.kind, number + 1);
        await records.answer({ id: question.id, value: said?.(question, value) ?? value, by: PERSON });
        count++;
      }
      return count > 0;
    },
    async finish() {
      for (;;) {
        const outcome = await run.drive();
        if (outcome.status === "completed" || outcome.status === "failed") return outcome;
        if (outcome.status === "waiting" && !(await run.answer())) return outcome;
      }
    },
    async transitions() {
      const events = (await engine?.events(RUN)) ?? [];
      const steps = events.filter(({ kind, name }) => kind === "step" && /^state:[1-9]/.test(name));
      return steps.map(({ name, payload }) => `${name} ${(JSON.parse(payload) as { value: { at: string } }).value.at}`);
    },
    async close() {
      await end();
      await scratch.close();
    },
  };
  return run;
}

/** The tests ran in the phases; here it matters only that a gate decides. The person lets the program merge without them. */
const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: [sh, -c, "exit 0"] }]
      full: [{ name: check, cmd: [sh, -c, "exit 0"] }]
`;

/** A busy machine must not look like a slow function. */
const LONG_LIMITS = "[orchestrator.timeouts]\ninjection_per_function_seconds = 900\nmesoscopic_per_cluster_seconds = 900";

const INPUT: CriticalityInput = {
  project: "transfers",
  idea: "accounts and transfers",
  spec_digest: null,
  config_text: readFileSync(join(DEMO.folder, "project/slipway/criticality.toml"), "utf8"),
  project_files: Object.fromEntries(
    ["package.json", "tsconfig.json"].map((path) => [path, readFileSync(join(DEMO.folder, "project", path), "utf8")]),
  ),
  skip_base_gates: true,
};

function recording(inner: Provider, sent: ProviderRequest[], replied: ProgramRunOptions["replied"]): Provider {
  return {
    ...inner,
    async invoke(request, signal): Promise<ProviderReply> {
      sent.push(request);
      const reply = await inner.invoke(request, signal);
      if (replied === undefined) return reply;
      return { ...reply, text: JSON.stringify(replied(request, JSON.parse(reply.text) as Record<string, unknown>)) };
    },
  };
}

type TestResult = Awaited<ReturnType<LanguageAdapter["runTests"]>>;
const known = new Map<string, Promise<TestResult>>();

/** The real adapter; tests of a folder with the same content run once in a test file. */
async function rememberedLanguage(): Promise<LanguageAdapter> {
  const real = await languageAdapter("typescript", { env: { PATH: process.env["PATH"] } });
  return Object.assign(Object.create(real) as LanguageAdapter, {
    runTests(folder: string, run: Parameters<LanguageAdapter["runTests"]>[1]) {
      const key = digestOf([contentOf(folder), [...(run.files ?? [])]]);
      const before = known.get(key);
      if (before !== undefined) return before;
      const made = real.runTests(folder, run);
      known.set(key, made);
      made.catch(() => known.delete(key));
      return made;
    },
  });
}

function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => `${path.slice(folder.length)}\n${readFileSync(path, "utf8")}`);
}
